import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { startNameServer } from '@tandem/testing/sso-peers';

// Landing pages on domains of tenants, through the gateway with the Host header of a browser.

let names: Awaited<ReturnType<typeof startNameServer>>;
let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  names = await startNameServer();
  fleet = await startFleet({ services: ['campaign', 'crm', 'identity'], env: { DNS_SERVERS: names.address } });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  names?.close();
  await fleet?.stop();
}, 60_000);

interface Response {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Sends a request to the gateway with a Host header, which `fetch` would not send. */
async function send(
  host: string,
  path: string,
  more: { headers?: Record<string, string>; body?: object } = {},
): Promise<Response> {
  const { hostname, port } = new URL(fleet.baseUrl);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      host,
      accept: 'text/html',
      ...(more.body && { 'content-type': 'application/json' }),
      ...more.headers,
    };
    request({ hostname, port, path, method: more.body ? 'POST' : 'GET', headers }, resolve)
      .on('error', reject)
      .end(more.body && JSON.stringify(more.body));
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
const statusOf = async (...input: Parameters<typeof send>) => (await send(...input)).status;

type Api = TestTenant['api'];
let hosts = 0;

async function aPage(api: Api, fields: { content?: string; formId?: string; slug?: string } = {}) {
  const slug = `page-${++hosts}`;
  const { data } = await api.createLandingPage({
    body: { name: 'Spring', slug, content: '<h1>Spring</h1>', ...fields },
  });
  await api.publishLandingPage({ params: { id: data.id } });
  return data;
}

async function aDomain(api: Api, host = `www.d${++hosts}.example`) {
  const { data } = await api.createPageDomain({ body: { host } });
  const [proof] = data.records;
  if (proof) names.records.set(proof.name, proof.value);
  return { host, proof: proof?.name as string, params: { id: data.id } };
}

async function aVerifiedDomain(api: Api) {
  const domain = await aDomain(api);
  expect((await api.verifyPageDomain({ params: domain.params })).data.status).toBe('verified');
  return domain;
}

it('a verified domain shows the pages of its tenant, whose form works there', async () => {
  const { api } = tenant;
  const fields = [{ key: 'email', label: 'E-mail', type: 'email' as const, required: true, mapsTo: 'email' }];
  const form = await api.createForm({ body: { name: 'Course', fields } });
  await api.publishForm({ params: { id: form.data.id } });
  const page = await aPage(api, { formId: form.data.id });
  const { host, params } = await aVerifiedDomain(api);
  for (const name of [host, host.toUpperCase(), `${host}.`, `${host}:8080`]) {
    const { status, body } = await send(name, `/${page.slug}`);
    expect([name, status, /<h1[^>]*>Spring/.test(body)]).toEqual([name, 200, true]);
  }
  expect(await statusOf(host, '/')).toBe(404);
  await api.updatePageDomain({ params, body: { homePageId: page.id } });
  const { status, headers, body } = await send(host, '/');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toContain("connect-src 'self'");
  expect(body).toContain(`<link rel="canonical" href="http://${host}:${new URL(fleet.baseUrl).port}/">`);
  const action = /data-action="([^"]+)"/.exec(body)?.[1] as string;
  const renderToken = /data-token="([^"]+)"/.exec(body)?.[1] as string;
  const submitted = await send(host, action, {
    headers: { origin: `https://${host}` },
    body: { fields: { email: 'ada@example.com' }, renderToken },
  });
  expect(submitted.status).toBe(201);
  const [submission] = await until('the submission is stored', async () => {
    const { data } = await api.listFormSubmissions({ params: { id: form.data.id } });
    return data.length > 0 && data;
  });
  expect(submission?.landingPageId).toBe(page.id);
}, 60_000);

it('a domain has pages and the API, and nothing else of the platform', async () => {
  const { host } = await aVerifiedDomain(tenant.api);
  for (const path of ['/docs', '/docs/openapi.json', '/metrics', '/a/b', '/.well-known/jwks.json'])
    expect([path, await statusOf(host, path)]).toEqual([path, 404]);
  expect(await statusOf(host, '/healthz')).toBe(200);
  const lists = await send(host, '/v1/campaigns/page-domains', { headers: { 'x-api-key': tenant.live } });
  expect([lists.status, lists.body.includes(host)]).toEqual([200, true]);
  expect(await statusOf(host, '/v1/campaigns/page-domains')).toBe(401);
});

it('the host is that of the Host header, and an unknown one shows nothing', async () => {
  const page = await aPage(tenant.api);
  const { host } = await aVerifiedDomain(tenant.api);
  expect(await statusOf('unknown.example', `/${page.slug}`)).toBe(404);
  const headers = { 'x-forwarded-host': host, forwarded: `host=${host}` };
  expect(await statusOf('unknown.example', `/${page.slug}`, { headers })).toBe(404);
  expect(await statusOf(host, `/${page.slug}`, { headers: { 'x-forwarded-host': 'unknown.example' } })).toBe(200);
});

it('two tenants claim a host: the verified one keeps it until its proof is gone', async () => {
  const [first, second] = [tenant, await aTenant(fleet)];
  const slug = `same-${++hosts}`;
  await aPage(first.api, { slug, content: '<h1>First</h1>' });
  await aPage(second.api, { slug, content: '<h1>Second</h1>' });
  const verified = await aVerifiedDomain(first.api);
  const claimed = await aDomain(second.api, verified.host);
  const taken = second.api.verifyPageDomain({ params: claimed.params });
  await expect(taken).rejects.toMatchObject({ status: 409, code: 'host_taken' });
  expect((await send(verified.host, `/${slug}`)).body).toMatch(/<h1[^>]*>First/);
  // The owner of the host has replaced the proof of the first tenant.
  expect((await first.api.verifyPageDomain({ params: verified.params })).data.status).toBe('pending');
  expect(await statusOf(verified.host, `/${slug}`)).toBe(404);
  expect((await second.api.verifyPageDomain({ params: claimed.params })).data.status).toBe('verified');
  expect((await send(verified.host, `/${slug}`)).body).toMatch(/<h1[^>]*>Second/);
}, 60_000);

it('a domain of the sandbox shows its pages, and a removed one none', async () => {
  const sandbox = fleet.api({ apiKey: tenant.sandbox });
  const page = await aPage(sandbox);
  const { host, params } = await aVerifiedDomain(sandbox);
  expect((await send(host, `/${page.slug}`)).body).toContain('noindex');
  const allowed = () => statusOf('127.0.0.1', `/v1/public/page-domains/allowed?domain=${host}`);
  expect(await allowed()).toBe(200);
  await sandbox.deletePageDomain({ params });
  expect([await statusOf(host, `/${page.slug}`), await allowed()]).toEqual([404, 404]);
});
