import type { campaign } from '@tandem/campaign-contract';
import { createSeal } from '@tandem/sealed';
import { identityPeer, type TestService, until } from '@tandem/testing';
import { aForm, aPage, publicIdOf, startCampaign } from '../../campaign.test-service.ts';
import { createRenderTokens } from '../forms/render-token.ts';

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
type Form = { id: string; submitUrl: string };

const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';
const half = (fields: Fields) => [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50, override: fields },
];

async function aFormOf(api: Api): Promise<Form> {
  const { data } = await api.createForm({ body: aForm() });
  await api.publishForm({ params: { id: data.id } });
  return data;
}

/** A page of a campaign whose version 1 says “First”, and whose version 2, which visitors see, says “Second”. */
async function aPublishedPage(api: Api, fields: Fields = {}) {
  const { data } = await api.createLandingPage({ body: aPage({ content: '<h1>First</h1>', ...fields }) });
  const params = { id: data.id };
  await api.publishLandingPage({ params });
  await api.updateLandingPage({ params, body: { content: '<h1>Second</h1>' } });
  expect((await api.publishLandingPage({ params })).status).toBe(200);
  const [, tenant, slug] = /\/p\/([^/]+)\/(.+)$/.exec(data.url) as unknown as [string, string, string];
  return { id: data.id as string, address: { tenant, slug } };
}

async function aRunningTest(api: Api, fields: Fields = {}) {
  const { data: campaign } = await api.createCampaign({ body: { name: 'Spring' } });
  const form = await aFormOf(api);
  const page = await aPublishedPage(api, { campaignId: campaign.id, formId: form.id });
  const body = {
    name: 'Headline',
    target: 'landing_page',
    metric: 'conversion',
    landingPageId: page.id,
    variants: half({ landingPageVersion: 1 }),
    ...fields,
  };
  const { data } = await api.createAbTest({ params: { id: campaign.id }, body });
  const params = { id: campaign.id as string, testId: data.id as string };
  const started = await api.startAbTest({ params });
  expect([started.status, started.body.errors]).toEqual([200, undefined]);
  return { ...page, params, form };
}

type Address = { tenant: string; slug: string };

interface Browser {
  cookie?: string | undefined;
  userAgent?: string;
}

function request(
  operation: 'showLandingPage' | 'getPublicPage',
  params: Address,
  { cookie, userAgent = person }: Browser = {},
) {
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous', permissions: [], ip: '203.0.113.7' }).caller;
  const headers = cookie === undefined ? {} : { cookie };
  return service.send(service.operations[operation], { params, headers }, { ...caller, userAgent });
}

/** A visit of a browser with the cookies of an earlier one. */
async function visit(params: Address, browser: Browser = {}) {
  const reply = await request('showLandingPage', params, browser);
  expect(reply.status).toBe(200);
  const set = [reply.headers['set-cookie'] ?? []].flat()[0];
  const shows = /<h1[^>]*>First/.test(reply.text) ? 'First' : 'Second';
  const [, token] = /data-token="([^"]+)"/.exec(reply.text) ?? [];
  return { shows, set, cookie: set?.split(';')[0], token, headers: reply.headers };
}

/** Visits until each content was shown so often. */
async function visits(params: Address, wanted: { First: number; Second: number }) {
  const found: Record<string, Awaited<ReturnType<typeof visit>>[]> = { First: [], Second: [] };
  let total = 0;
  while ((found['First']?.length ?? 0) < wanted.First || (found['Second']?.length ?? 0) < wanted.Second) {
    const one = await visit(params);
    found[one.shows]?.push(one);
    expect(++total).toBeLessThan(200);
  }
  return found as Record<'First' | 'Second', [Awaited<ReturnType<typeof visit>>]>;
}

const tokens = createRenderTokens(createSeal(process.env['ENCRYPTION_KEY'] as string));

let people = 0;
/** Submits the form of a page that was shown a minute ago, because software answers at once. */
async function submit(form: Form, renderToken: string | undefined, email = `person${++people}@example.com`) {
  const shown = tokens.read(renderToken as string);
  if (!shown || shown === 'expired') throw new Error('The page has no token');
  const token = tokens.issue({ ...shown, at: shown.at - 60_000 }, new Date(Date.now() + 60_000));
  const caller = service.as({ type: 'anonymous', permissions: [], ip: `203.0.113.${people}` });
  const body = { fields: { email }, renderToken: token };
  expect((await caller.submitForm({ params: { id: publicIdOf(form) }, body })).status).toBe(201);
}

const resultsOf = async (api: Api, params: { id: string; testId: string }) =>
  (await api.getAbTestResults({ params })).data.variants.map(({ key, sent, count }: Fields) => [key, sent, count]);

describe('a test of a landing page', () => {
  it('counts visitors once, and the people who submit the form of their variant', async () => {
    const api = service.as();
    const { address, params, form } = await aRunningTest(api);
    const { First, Second } = await visits(address, { First: 1, Second: 1 });
    const again = await visit(address, { cookie: First[0].cookie });
    expect([again.shows, again.set]).toEqual(['First', undefined]);
    expect(First[0].set).toMatch(
      new RegExp(
        `^tandem_variant=[A-Za-z0-9]+\\.b; Path=/p/${address.tenant}/${address.slug}; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$`,
      ),
    );
    expect(First[0].headers['cache-control']).toBe('private, no-store');
    const { data } = await request('getPublicPage', address, { cookie: First[0].cookie });
    expect(data.content).toContain('First');
    await submit(form, again.token, 'ada@example.com');
    await submit(form, again.token, 'ada@example.com');
    expect(await resultsOf(api, params)).toEqual([
      ['a', Second.length, 0],
      ['b', First.length, 1],
    ]);
  });

  it('shows software and visitors outside of the sample the original, and does not count them', async () => {
    const api = service.as();
    const original = { key: 'b', weight: 50, override: { landingPageVersion: 1 } };
    const { address, params } = await aRunningTest(api, {
      samplePercent: 1,
      variants: [original, { ...original, key: 'c' }],
    });
    const crawler = await visit(address, { userAgent: 'Googlebot/2.1' });
    expect([crawler.shows, crawler.set]).toEqual(['Second', undefined]);
    const outside = await (async () => {
      for (;;) {
        const one = await visit(address);
        if (one.shows === 'Second') return one;
      }
    })();
    expect(outside.set).toMatch(/^tandem_variant=[A-Za-z0-9]+\.; /);
    const counted = await resultsOf(api, params);
    expect((await visit(address, { cookie: outside.cookie })).shows).toBe('Second');
    expect(await resultsOf(api, params)).toEqual(counted);
  });

  it('ignores a cookie of another test and an unknown variant', async () => {
    const api = service.as();
    const { address, params } = await aRunningTest(api);
    const { cookie } = await visit(address);
    const code = /=([^.]+)\./.exec(cookie ?? '')?.[1];
    for (const value of ['x.a', `${code}.z`, code, '%00'])
      expect((await visit(address, { cookie: `tandem_variant=${value}` })).set).toContain('tandem_variant=');
    const [[, a], [, b]] = await resultsOf(api, params);
    expect(a + b).toBe(5);
  });

  it('shows the copy of the winner, also after its page was deleted, until the page is published again', async () => {
    const api = service.as();
    const { data: campaign } = await api.createCampaign({ body: { name: 'Spring' } });
    const other = await aPublishedPage(api, { campaignId: campaign.id });
    await api.updateLandingPage({ params: { id: other.id }, body: { content: '<h1>First of another page</h1>' } });
    await api.publishLandingPage({ params: { id: other.id } });
    const page = await aPublishedPage(api, { campaignId: campaign.id });
    const { data } = await api.createAbTest({
      params: { id: campaign.id },
      body: {
        name: 'Page',
        target: 'landing_page',
        metric: 'conversion',
        landingPageId: page.id,
        variants: half({ landingPageId: other.id }),
      },
    });
    const params = { id: campaign.id, testId: data.id };
    expect((await api.startAbTest({ params })).status).toBe(200);
    await visits(page.address, { First: 1, Second: 1 });
    expect((await api.deleteLandingPage({ params: { id: other.id } })).status).toBe(200);
    await visits(page.address, { First: 1, Second: 1 });
    await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    const [before, crawler] = [await visit(page.address), await visit(page.address, { userAgent: 'Googlebot/2.1' })];
    expect([before.shows, before.set, crawler.shows]).toEqual(['First', undefined, 'First']);
    await api.updateLandingPage({ params: { id: page.id }, body: { content: '<h1>Third, not Second</h1>' } });
    await api.publishLandingPage({ params: { id: page.id } });
    expect((await visit(page.address)).shows).toBe('Second');
  });

  it('shows the original after it was stopped', async () => {
    const api = service.as();
    const { address, params } = await aRunningTest(api);
    await visits(address, { First: 1, Second: 0 });
    await api.stopAbTest({ params });
    for (let time = 0; time < 6; time++) expect((await visit(address)).shows).toBe('Second');
  });

  it('is examined like one of e-mails: the winner is promoted by itself', async () => {
    const api = service.as();
    const { address, params, form } = await aRunningTest(api, { autoPromote: true, minSample: 5, confidence: 0.8 });
    const { First } = await visits(address, { First: 6, Second: 6 });
    for (const { token } of First) await submit(form, token);
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'examine-ab-test' AND state = 'waiting'`,
    );
    const { data } = await until('the test is completed', async () => {
      const reply = await api.getAbTest({ params });
      return reply.data.status === 'completed' && reply;
    });
    expect(data).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: false });
    expect((await visit(address)).shows).toBe('First');
  });
});
