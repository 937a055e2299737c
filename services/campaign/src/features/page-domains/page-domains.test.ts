import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aPage, startCampaign } from '../../campaign.test-service.ts';
import { type NameServer, nameServer } from '../../dns.test-service.ts';
import { domainsOf } from './page-domains.test-service.ts';

let names: NameServer;
let service: TestService<typeof campaign>;
let domains: ReturnType<typeof domainsOf>;
beforeAll(async () => {
  names = await nameServer();
  service = await startCampaign(undefined, undefined, {
    DNS_SERVERS: [names.address],
    PAGES_HOST: 'pages.tandem.example',
  });
  domains = domainsOf(service, names);
});
afterAll(async () => {
  await service?.close();
  await names?.close();
});

type Api = ReturnType<typeof service.as>;
type Records = { records: { purpose: string; status: string; found: string[] }[] };

const statusesOf = ({ records }: Records) =>
  Object.fromEntries(records.map(({ purpose, status }) => [purpose, status]));
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

describe('a page domain', () => {
  it('shows the DNS records that it needs, and is known by its host in lower case', async () => {
    const api = service.as();
    const { status, data } = await api.createPageDomain({ body: { host: 'WWW.Bücher.Example.' } });
    expect([status, data]).toMatchObject([
      201,
      { host: 'www.xn--bcher-kva.example', status: 'pending', homePageId: null, verifiedAt: null, version: 1 },
    ]);
    expect(data.url).toBe('https://www.xn--bcher-kva.example/');
    const proof = { type: 'TXT', name: `_tandem-pages.${data.host}`, required: true };
    expect(data.records).toMatchObject([
      { purpose: 'ownership', ...proof, value: expect.stringMatching(/^tandem-pages=[\w-]{24}$/), status: 'unchecked' },
      { purpose: 'address', type: 'CNAME', name: data.host, value: 'pages.tandem.example', required: false },
    ]);
    await until('the event arrives', () => eventsOf(api, 'page_domain.added').length === 1);
  });

  it.each([
    'example',
    'localhost',
    'shop.localhost',
    'https://www.example.org',
    'www.example.org:8080',
    'www.example.org/path',
    '*.example.org',
    'exa mple.org',
    '127.0.0.1',
    '[::1]',
    'api.example.com',
    'www.api.example.com',
    'pages.tandem.example',
    `${'a.'.repeat(120)}example`,
  ])('cannot be %s', async (host) => {
    const api = service.as();
    const reply = await api.createPageDomain({ body: { host } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'host']);
    expect((await api.listPageDomains()).data).toEqual([]);
  });

  it('is in the list once, with a proof of its own for each tenant and environment', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const host = 'twice.example';
    const added = [];
    for (const one of [api, sandbox, service.as()]) added.push((await one.createPageDomain({ body: { host } })).data);
    expect(new Set(added.map(({ records }) => records[0].value)).size).toBe(3);
    const reply = await api.createPageDomain({ body: { host: 'TWICE.example' } });
    expect([reply.status, reply.body.code]).toEqual([409, 'domain_exists']);
    await api.deletePageDomain({ params: { id: added[0].id } });
    const again = (await api.createPageDomain({ body: { host } })).data;
    expect(again.records[0].value).toBe(added[0].records[0].value);
  });

  it('is one of a limited number, also with concurrent requests', async () => {
    const api = service.as();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO page_domain (host) SELECT 'h' || number || '.example' FROM generate_series(1, 49) AS number`,
    );
    const add = (name: string) => api.createPageDomain({ body: { host: `${name}.example` } });
    const replies = await Promise.all(['one', 'two', 'three', 'four'].map(add));
    const results = replies.map(({ status, body }) => `${status} ${body.code ?? ''}`);
    expect(results.toSorted()).toEqual(['201 ', ...Array(3).fill('409 too_many_domains')]);
  });

  it('is verified by its proof of ownership, and reports whether it leads to the platform', async () => {
    const api = service.as();
    const domain = await domains.added(api);
    const params = { id: domain.id };
    const missing = await api.verifyPageDomain({ params });
    expect([missing.data.status, statusesOf(missing.data)]).toEqual([
      'pending',
      { ownership: 'missing', address: 'unchecked' },
    ]);
    names.txt.set(`_tandem-pages.${domain.host}`, ['tandem-pages=that-of-another-tenant']);
    names.a.set(domain.host, ['192.0.2.9']);
    names.a.set('pages.tandem.example', ['192.0.2.1', '192.0.2.2']);
    const unproven = (await api.verifyPageDomain({ params })).data;
    expect(statusesOf(unproven)).toEqual({ ownership: 'wrong', address: 'unchecked' });
    expect(JSON.stringify(unproven)).not.toContain('192.0.2.9');
    domains.prove(domain);
    const verified = (await api.verifyPageDomain({ params })).data;
    expect(verified).toMatchObject({ status: 'verified', verifiedAt: verified.checkedAt });
    expect(verified.records[1]).toMatchObject({ status: 'wrong', found: ['192.0.2.9'] });
    names.a.set(domain.host, ['192.0.2.2']);
    expect(statusesOf((await api.verifyPageDomain({ params })).data)).toEqual({ ownership: 'found', address: 'found' });
    names.cname.set(domain.host, 'intranet.example');
    names.a.set(domain.host, ['10.0.0.7']);
    const elsewhere = (await api.verifyPageDomain({ params })).data;
    expect(elsewhere.records[1]).toMatchObject({ status: 'wrong', found: ['intranet.example'] });
    names.a.delete(domain.host);
    names.cname.set(domain.host, 'Pages.tandem.example');
    const last = (await api.verifyPageDomain({ params })).data;
    expect([statusesOf(last).address, last.verifiedAt]).toEqual(['found', verified.verifiedAt]);
    await until('the event arrives', () => eventsOf(api, 'page_domain.verified').length === 1);
  });

  it('loses its status when the proof is gone, and keeps it while name servers do not answer', async () => {
    const api = service.as();
    const domain = await domains.verified(api);
    const params = { id: domain.id };
    names.isDown = true;
    const during = await api.verifyPageDomain({ params });
    names.isDown = false;
    expect([during.data.status, statusesOf(during.data).ownership]).toEqual(['verified', 'unavailable']);
    domains.disprove(domain);
    expect((await api.verifyPageDomain({ params })).data).toMatchObject({ status: 'pending', verifiedAt: null });
    await until('the event arrives', () => eventsOf(api, 'page_domain.lost').length === 1);
  });

  it('is checked once a day', async () => {
    const api = service.as();
    const domain = await domains.added(api);
    const nextDay = () =>
      service.sqlWithin(
        api.caller,
        `UPDATE platform.job SET due_at = now() WHERE name = 'check-page-domain' AND state = 'waiting'`,
      );
    const becomes = (status: string) =>
      until(`the domain is ${status}`, async () => {
        await nextDay();
        return (await api.getPageDomain({ params: { id: domain.id } })).data.status === status;
      });
    domains.prove(domain);
    await becomes('verified');
    domains.disprove(domain);
    await becomes('pending');
    await api.deletePageDomain({ params: { id: domain.id } });
  });

  it('changes only in the version that If-Match names', async () => {
    const api = service.as();
    const { id } = await domains.added(api);
    const stale = { params: { id }, headers: { 'if-match': '"9"' } };
    const replies = [
      await api.updatePageDomain({ ...stale, body: { homePageId: null } }),
      await api.verifyPageDomain(stale),
      await api.deletePageDomain(stale),
    ];
    expect(replies.map(({ status }) => status)).toEqual([412, 412, 412]);
  });
});

describe('a host', () => {
  it('is verified for one tenant and environment at a time, and pending ones of others do not block it', async () => {
    const first = service.as();
    const second = service.as();
    const sandbox = service.as({ tenantId: first.caller.tenantId as number, environment: 'sandbox' });
    const host = 'contested.example';
    const of = async (api: Api) => {
      const { data } = await api.createPageDomain({ body: { host } });
      domains.prove(data);
      return { api, params: { id: data.id as string }, domain: data };
    };
    const [pending, winner, other] = [await of(second), await of(first), await of(sandbox)];
    const verify = ({ api, params }: typeof winner) => api.verifyPageDomain({ params });
    expect((await verify(winner)).data.status).toBe('verified');
    for (const loser of [pending, other]) {
      const reply = await verify(loser);
      expect([reply.status, reply.body.code]).toEqual([409, 'host_taken']);
      expect(JSON.stringify(reply.body)).not.toContain(String(first.caller.tenantId));
      const { data } = await loser.api.getPageDomain({ params: loser.params });
      expect(data).toMatchObject({ status: 'pending', checkedAt: null, version: 1 });
    }
    await service.sqlWithin(
      second.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'check-page-domain' AND state = 'waiting'`,
    );
    await until('the daily check found the proof', async () => {
      const { data } = await second.getPageDomain({ params: pending.params });
      expect(data.status).toBe('pending');
      return statusesOf(data).ownership === 'found';
    });
    await first.deletePageDomain({ params: winner.params });
    expect((await verify(pending)).data.status).toBe('verified');
  });

  it('is verified once by requests at the same time', async () => {
    const host = 'race.example';
    const tenants = [1, 2, 3, 4].map(() => service.as());
    const added = await Promise.all(tenants.map(async (api) => (await api.createPageDomain({ body: { host } })).data));
    for (const domain of added) domains.prove(domain);
    const replies = await Promise.all(
      tenants.map((api, index) => api.verifyPageDomain({ params: { id: added[index].id } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('cannot be verified twice, whatever the code does', async () => {
    const insert = (api: Api) =>
      service.sqlWithin(api.caller, `INSERT INTO page_domain (host, status) VALUES ('unique.example', 'verified')`);
    await insert(service.as());
    await expect(insert(service.as())).rejects.toThrow('page_domain_verified_host');
  });
});

describe('the home page of a domain', () => {
  it('is a landing page of the same tenant and environment, and cannot be deleted', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const { id } = await domains.added(api);
    const set = (homePageId: string | null) => api.updatePageDomain({ params: { id }, body: { homePageId } });
    for (const foreign of [sandbox, service.as()]) {
      const { data } = await foreign.createLandingPage({ body: aPage() });
      expect((await set(data.id)).body.errors).toEqual([
        { field: 'homePageId', message: 'No landing page with this id' },
      ]);
    }
    const { data: page } = await api.createLandingPage({ body: aPage() });
    expect((await set(page.id)).data).toMatchObject({ homePageId: page.id, version: 2 });
    const refused = await api.deleteLandingPage({ params: { id: page.id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'page_is_home']);
    expect((await set(null)).data).toMatchObject({ homePageId: null, version: 3 });
    expect((await api.deleteLandingPage({ params: { id: page.id } })).status).toBe(200);
    await until('the events arrive', () => eventsOf(api, 'page_domain.updated').length === 2);
    await api.deletePageDomain({ params: { id } });
    await until('the event arrives', () => eventsOf(api, 'page_domain.removed').length === 1);
  });
});
