import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { aForm, aPage, asVisitor, startCampaign } from '../../campaign.test-service.ts';
import { type NameServer, nameServer } from '../../dns.test-service.ts';
import { domainsOf } from '../page-domains/page-domains.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let names: NameServer;
let service: TestService<typeof campaign>;
let domains: ReturnType<typeof domainsOf>;
beforeAll(async () => {
  [identity, names] = await Promise.all([identityPeer(), nameServer()]);
  service = await startCampaign(undefined, identity.url, { DNS_SERVERS: [names.address] });
  domains = domainsOf(service, names);
});
afterAll(async () => {
  await service?.close();
  await Promise.all([identity?.close(), names?.close()]);
});

type Api = ReturnType<typeof service.as>;
const sandboxOf = (api: Api) => service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });

async function published(api: Api, fields: Record<string, unknown> = {}) {
  const { data } = await api.createLandingPage({ body: aPage({ content: '<h1>Spring</h1>', ...fields }) });
  expect((await api.publishLandingPage({ params: { id: data.id } })).status).toBe(200);
  return data as { id: string; url: string; slug: string };
}
const canonicalOf = (text: string) => /<link rel="canonical" href="([^"]+)">/.exec(text)?.[1];
const showAtPlatform = (url: string) => {
  const [tenant, slug] = new URL(url).pathname.split('/').slice(2);
  return asVisitor(service, 'showLandingPage', { params: { tenant, slug } });
};
const allowed = (domain: string) => asVisitor(service, 'getAllowedPageDomain', { query: { domain } });

describe('a verified domain', () => {
  it('shows the pages of its tenant and environment as the platform does', async () => {
    const api = service.as();
    const { data: form } = await api.createForm({ body: aForm() });
    await api.publishForm({ params: { id: form.id } });
    const page = await published(api, { formId: form.id });
    const other = await published(service.as());
    const { host } = await domains.verified(api);
    const here = await domains.visit(host, `/${page.slug}`);
    const there = await showAtPlatform(page.url);
    expect([here.status, here.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const comparable = (text: string) => text.replace(/data-token="[^"]+"/, '');
    expect(comparable(here.text)).toBe(comparable(there.text));
    expect(here.headers['content-security-policy']).toBe(there.headers['content-security-policy']);
    // The form is sent to the same host, where the API answers, too.
    expect(here.text).toMatch(/<form data-action="\/v1\/public\/forms\/[^/"]+\/submissions"/);
    expect((await domains.visit(host, `/${other.slug}`)).status).toBe(404);
    const visits = await service.sqlWithin(api.caller, `SELECT url FROM engagement WHERE type = 'page_visit'`);
    expect(visits.map(({ url }) => url)).toEqual([page.url, page.url]);
  });

  it('shows its home page at its root, and none without one', async () => {
    const api = service.as();
    const page = await published(api);
    const { id, host } = await domains.verified(api);
    expect((await domains.visit(host, '/')).status).toBe(404);
    await api.updatePageDomain({ params: { id }, body: { homePageId: page.id } });
    expect((await domains.visit(host, '/')).status).toBe(200);
    await api.unpublishLandingPage({ params: { id: page.id } });
    for (const path of ['/', `/${page.slug}`]) expect((await domains.visit(host, path)).status).toBe(404);
  });

  it('is the address that search engines list', async () => {
    const api = service.as();
    const [page, home] = [await published(api), await published(api)];
    await domains.added(api);
    expect(canonicalOf((await showAtPlatform(page.url)).text)).toBe(page.url);
    const [first, second] = [await domains.verified(api), await domains.verified(api, { homePageId: home.id })];
    const addresses = {
      [page.slug]: `https://${first.host}/${page.slug}`,
      [home.slug]: `https://${second.host}/`,
    };
    for (const { url, slug } of [page, home]) {
      const texts = [await showAtPlatform(url), await domains.visit(second.host, `/${slug}`)].map(({ text }) => text);
      expect(texts.map(canonicalOf)).toEqual([addresses[slug], addresses[slug]]);
    }
    expect((await api.getLandingPage({ params: { id: page.id } })).data.url).toBe(page.url);
  });

  it('of the sandbox shows pages of the sandbox, which search engines do not list', async () => {
    const api = service.as();
    const slug = 'same-slug';
    await published(api, { slug, content: '<h1>Live</h1>' });
    await published(sandboxOf(api), { slug, content: '<h1>Sandbox</h1>' });
    const { host } = await domains.verified(sandboxOf(api));
    const { text } = await domains.visit(host, `/${slug}`);
    expect(text).toMatch(/<h1[^>]*>Sandbox/);
    expect(text).toContain('noindex, nofollow');
  });

  it('keeps visitors at their variant of a test by a cookie of the path', async () => {
    const api = service.as();
    const { data: spring } = await api.createCampaign({ body: { name: 'Spring' } });
    const page = await published(api, { campaignId: spring.id });
    await api.updateLandingPage({ params: { id: page.id }, body: { content: '<h1>Summer</h1>' } });
    await api.publishLandingPage({ params: { id: page.id } });
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50, override: { landingPageVersion: 1 } },
    ];
    const body = { name: 'Page', target: 'landing_page', metric: 'conversion', landingPageId: page.id, variants };
    const { data: test } = await api.createAbTest({ params: { id: spring.id }, body });
    const started = await api.startAbTest({ params: { id: spring.id, testId: test.id } });
    expect([started.status, started.body.errors]).toEqual([200, undefined]);
    const { host } = await domains.verified(api, { homePageId: page.id });
    for (const path of ['/', `/${page.slug}`]) {
      const first = await domains.visit(host, path);
      const [set = ''] = [first.headers['set-cookie'] ?? []].flat();
      expect(set).toMatch(new RegExp(`^tandem_variant=[^;]+; Path=${path}; .*HttpOnly; SameSite=Lax; Secure$`));
      const again = await domains.visit(host, path, { headers: { cookie: set.split(';')[0] as string } });
      expect([again.headers['set-cookie'], again.text]).toEqual([undefined, first.text]);
    }
  });

  it('has pages with the names of pages for operators', async () => {
    const api = service.as();
    const { host } = await domains.verified(api);
    for (const slug of ['metrics', 'healthz', 'topology']) {
      expect((await domains.visit(host, `/${slug}`)).status).toBe(404);
      await published(api, { slug });
      expect((await domains.visit(host, `/${slug}`)).text).toMatch(/<h1[^>]*>Spring/);
    }
    expect(await service.opsPage('/metrics')).toContain('# HELP');
  });
});

describe('a host', () => {
  it('shows nothing unless it is verified, and does not say why', async () => {
    const api = service.as();
    const page = await published(api);
    const pending = await domains.added(api);
    const lost = await domains.verified(api);
    domains.disprove(lost);
    await api.verifyPageDomain({ params: { id: lost.id } });
    const removed = await domains.verified(api);
    expect((await domains.visit(removed.host, `/${page.slug}`)).status).toBe(200);
    await api.deletePageDomain({ params: { id: removed.id } });
    const texts = new Set<string>();
    for (const host of ['unknown.example', pending.host, lost.host, removed.host])
      for (const path of ['/', `/${page.slug}`]) {
        const { status, text } = await domains.visit(host, path, { headers: { accept: 'text/html' } });
        expect(status).toBe(404);
        texts.add(text.replace(/Request [^<]+/, ''));
        expect((await allowed(host)).status).toBe(404);
      }
    expect(texts.size).toBe(1);
  });

  it('gets a certificate only while it is verified, of an active tenant', async () => {
    const api = service.as();
    const page = await published(api);
    const { host } = await domains.verified(api);
    const reply = await allowed(`${host.toUpperCase()}.`);
    expect([reply.status, reply.data]).toEqual([200, { host }]);
    for (const other of ['', 'localhost', '127.0.0.1', `sub.${host}`, host.split('.').slice(1).join('.')])
      expect((await allowed(other)).status).toBe(404);
    await service.sqlWithin(api.caller, `INSERT INTO platform.tenant_state (state, version) VALUES ('suspended', 1)`);
    expect((await allowed(host)).status).toBe(404);
    expect((await domains.visit(host, `/${page.slug}`)).status).toBe(404);
  });
});
