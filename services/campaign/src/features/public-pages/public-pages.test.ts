import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { DomUtils, parseDocument } from 'htmlparser2';
import { aForm, aPage, asVisitor, formFields, startCampaign } from '../../campaign.test-service.ts';
import { landingPageTemplate } from '../ai/templates/landing-page.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCampaign(undefined, identity.url);
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const allFields = [
  ...formFields,
  { key: 'phone', type: 'phone' },
  { key: 'size', type: 'number' },
  { key: 'plan', type: 'select', options: ['Small', '<b>Large</b>'] },
  { key: 'terms', label: 'I accept the <terms>', type: 'checkbox', required: true },
  { key: 'day', type: 'date' },
];

async function published(api: Api, fields: Fields = {}) {
  const { data } = await api.createLandingPage({ body: aPage({ content: '<h1>Spring</h1>', ...fields }) });
  expect((await api.publishLandingPage({ params: { id: data.id } })).status).toBe(200);
  return data as { id: string; url: string; slug: string };
}
async function aPublishedForm(api: Api, fields: Fields = {}) {
  const { data } = await api.createForm({ body: aForm({ fields: allFields, consentText: 'I "agree"', ...fields }) });
  await api.publishForm({ params: { id: data.id } });
  return data;
}
const addressOf = (url: string) => {
  const [, tenant, slug] = /^https:\/\/api\.example\.com\/p\/([^/]+)\/(.+)$/.exec(url) as unknown as string[];
  return { tenant, slug };
};
const show = (params: Fields) => asVisitor(service, 'showLandingPage', { params });

async function parsedPage(url: string) {
  const { status, text, headers } = await show(addressOf(url));
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const page = parseDocument(text);
  const all = (name: string) => DomUtils.getElementsByTagName(name, page.children);
  return { text, headers, page, all, textOf: (name: string) => all(name).map((one) => DomUtils.textContent(one)) };
}

/** Checks of accessibility that apply to every page. */
function expectAccessible({ page, all }: Awaited<ReturnType<typeof parsedPage>>) {
  for (const name of ['main', 'h1', 'title', 'html']) expect([name, all(name).length]).toEqual([name, 1]);
  expect(all('html')[0]?.attribs['lang']).toBe('en');
  const elements = DomUtils.findAll(() => true, page.children);
  const ids = elements.flatMap(({ attribs }) => attribs['id'] ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const levels = elements.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name[1])] : []));
  for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? level)).toBeLessThanOrEqual(1);
  const labelled = all('label').map(({ attribs }) => attribs['for']);
  for (const name of ['input', 'select', 'textarea'])
    for (const { attribs } of all(name)) {
      expect(labelled).toContain(attribs['id']);
      for (const id of attribs['aria-describedby']?.split(' ') ?? []) expect(ids).toContain(id);
    }
  for (const { attribs } of all('img')) expect(attribs['alt']).toBeDefined();
  for (const { attribs } of elements) if (attribs['aria-labelledby']) expect(ids).toContain(attribs['aria-labelledby']);
  const fragments = all('a').flatMap(({ attribs }) =>
    attribs['href']?.startsWith('#tp-') ? attribs['href'].slice(1) : [],
  );
  for (const fragment of fragments) expect(ids).toContain(fragment);
}

describe('the page of a generated landing page', () => {
  it('shows title, sections in their order and the form, and is accessible', async () => {
    const api = service.as();
    const form = await aPublishedForm(api);
    const generated = landingPageTemplate({ prompt: 'Webinar about CRM', goal: 'register' });
    const { url } = await published(api, { ...generated, slug: 'webinar', formId: form.id });
    const page = await parsedPage(url);
    expectAccessible(page);
    expect(page.textOf('title')).toEqual([generated.seo.title]);
    expect(page.text).toContain(`<meta name="description" content="${generated.seo.metaDescription}">`);
    expect(page.text).toContain(`<link rel="canonical" href="${url}">`);
    expect(page.text).not.toContain('noindex');
    const [main] = page.all('main');
    const sections = DomUtils.getElementsByTagName('section', main?.children ?? []);
    const ids = sections.map(({ attribs }) => attribs['id']);
    expect(ids).toEqual(['section-1', 'section-2', 'section-3', 'section-4', 'tp-form']);
    const [formElement] = page.all('form');
    expect(formElement?.attribs['data-action']).toBe(new URL(form.submitUrl).pathname);
    const names = ['input', 'select', 'textarea'].flatMap((name) =>
      page.all(name).map(({ attribs }) => attribs['name']),
    );
    expect(names.sort()).toEqual([...allFields.map(({ key }) => key), 'consent', 'honeypot'].sort());
    expect(page.text).toContain('I accept the &lt;terms&gt;');
    expect(page.text).not.toContain('<b>Large</b>');
  });

  it('runs its own script only, and loads nothing but images', async () => {
    const api = service.as();
    const withForm = await parsedPage((await published(api, { formId: (await aPublishedForm(api)).id })).url);
    const without = await parsedPage((await published(api)).url);
    const policyOf = ({ headers }: typeof without) => headers['content-security-policy'] as string;
    expect(policyOf(withForm)).toMatch(
      /default-src 'none'; style-src 'sha256-[^' ]+'; img-src https: http:; script-src 'sha256-/,
    );
    expect(policyOf(without)).not.toMatch(/script-src|connect-src/);
    expect([withForm.all('script').length, without.all('script').length]).toEqual([1, 0]);
    for (const { all } of [withForm, without]) {
      expect(all('link').map(({ attribs }) => attribs['rel'])).toEqual(['canonical']);
      expect(
        all('style')
          .map((one) => DomUtils.textContent(one))
          .join(),
      ).not.toMatch(/url\(|@import|@font-face/);
    }
    for (const policy of [policyOf(withForm), policyOf(without)]) expect(policy).not.toMatch(/unsafe/);
  });
});

describe('the content of a page', () => {
  const section = (sectionId: string, order: number, fields: Fields = {}) => ({
    ...{ sectionId, type: 'text', label: sectionId, visible: true, order },
    ...fields,
  });

  it('has the visible sections in their order, and other parts in their place', async () => {
    const content = [
      '<p>Top</p>',
      '<section id="a">A</section>',
      '<section id="b">B</section>',
      '<p>Middle</p>',
      '<section id="c">C</section>',
      '<section id="d">D</section>',
    ].join('');
    const sections = [section('a', 3), section('b', 0, { visible: false }), section('c', 1), section('d', 2)];
    const { url } = await published(service.as(), { content, sections });
    const page = await parsedPage(url);
    expectAccessible(page);
    expect(page.textOf('main').join().replace(/\s+/g, ' ')).toBe(' SpringTopCMiddleDA ');
  });

  it.each<[string, string, string[]]>([
    ['adds a heading of level 1', '<p>Text</p>', ['h1 Spring']],
    ['keeps one heading of level 1', '<h1>A</h1><h1>B</h1><h4>C</h4>', ['h1 A', 'h2 B', 'h3 C']],
    ['closes gaps', '<h1>A</h1><h4>B</h4><h6>C</h6><h2>D</h2>', ['h1 A', 'h2 B', 'h3 C', 'h2 D']],
  ])('%s', async (_, content, expected) => {
    const { page, ...parsed } = await parsedPage((await published(service.as(), { content })).url);
    expectAccessible({ page, ...parsed });
    const found = DomUtils.findAll(({ name }) => /^h[1-6]$/.test(name), page.children);
    expect(found.map((one) => `${one.name} ${DomUtils.textContent(one)}`)).toEqual(expected);
  });

  it('has no second main element, no dead button, unique ids and described images', async () => {
    const content = [
      '<main><header>A</header></main><div role="main" id="tp-form">B</div>',
      '<p id="x">C</p><p id="x">D</p><button type="button">Go</button><label for="q">E</label>',
      '<img src="https://example.com/a.png"><tandem-form></tandem-form>text at the top',
    ].join('');
    const page = await parsedPage((await published(service.as(), { content })).url);
    expectAccessible(page);
    expect([page.all('button').length, page.all('header').length, page.all('label').length]).toEqual([0, 0, 0]);
  });

  it('puts the form into the section for it', async () => {
    const api = service.as();
    const { id: formId } = await aPublishedForm(api);
    const sections = [section('a', 0), section('f', 1, { type: 'form' }), section('b', 2, { type: 'cta' })];
    const parts = ['<section id="a">A</section>', '<section id="b">B</section>'];
    const { text } = await parsedPage((await published(api, { content: parts.join(''), sections, formId })).url);
    expect(text).toMatch(/id="a".*id="tp-form".*id="b"/s);
    const within = await published(api, { content: `${parts.join('')}<section id="f">F</section>`, sections, formId });
    expect((await parsedPage(within.url)).text).toMatch(/id="f"[^>]*>F<section class="tp-form"/);
  });

  it('stays without a form that is not published', async () => {
    const api = service.as();
    const form = await aPublishedForm(api);
    const { url } = await published(api, { formId: form.id });
    await api.unpublishForm({ params: { id: form.id } });
    const page = await parsedPage(url);
    expectAccessible(page);
    expect(page.all('form')).toEqual([]);
    expect((await asVisitor(service, 'getPublicPage', { params: addressOf(url) })).data.form).toBeNull();
  });
});

describe('the address of a page', () => {
  it('has the id or the slug of the tenant', async () => {
    const api = service.as();
    const { url, slug } = await published(api);
    identity.tenantSlugs.set('analytical-engines', String(api.caller.tenantId));
    expect((await show({ tenant: 'analytical-engines', slug })).status).toBe(200);
    expect((await show(addressOf(url))).status).toBe(200);
    for (const tenant of ['unknown', 'x'.repeat(16), '..%2f', String(api.caller.tenantId)])
      expect((await show({ tenant, slug })).status).toBe(404);
    for (const slug of ['other', '%00', 'a%00b']) expect((await show({ ...addressOf(url), slug })).status).toBe(404);
  });

  it('is another one in the sandbox, whose pages are not listed by search engines', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const page = await published(sandbox, { content: '<h1>Sandbox</h1>' });
    expect(page.url).toContain('--sandbox/');
    const parsed = await parsedPage(page.url);
    expect(parsed.all('meta').map(({ attribs }) => attribs['content'])).toContain('noindex, nofollow');
    expect((await show(addressOf(page.url.replace('--sandbox', '')))).status).toBe(404);
  });
});

describe('getPublicPage', () => {
  it('returns the published version and the form, without what is internal', async () => {
    const api = service.as();
    const form = await aPublishedForm(api, { notifyUserIds: [] });
    const { url, slug } = await published(api, { formId: form.id, seo: { title: 'T' } });
    const { status, data } = await asVisitor(service, 'getPublicPage', { params: addressOf(url) });
    expect([status, data.slug, data.url, data.seo]).toEqual([200, slug, url, { title: 'T' }]);
    expect(data.content).toBe('<h1>Spring</h1>');
    expect(Object.keys(data.form).sort()).toEqual(
      ['consentText', 'doubleOptIn', 'fields', 'name', 'redirectUrl', 'renderToken', 'submitUrl'].sort(),
    );
    expect(JSON.stringify(data)).not.toMatch(/mapsTo|tenantId|createdBy/);
  });
});
