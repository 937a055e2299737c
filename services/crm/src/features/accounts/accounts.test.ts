import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const anAccount = async (api: Api, fields: Record<string, unknown> = {}) =>
  (await api.createAccount({ body: { name: 'Engines', ...fields } })).data;

const eventOf = (api: Api, name: string, accountId: string) =>
  until(`${name} arrives`, () =>
    service.events.find(
      (one) =>
        one.tenantId === api.caller.tenantId &&
        one.name === name &&
        (one.data as { accountId: string }).accountId === accountId,
    ),
  );
const outcome = ({ status, body }: { status: number; body: { code?: string; errors?: { field: string }[] } }) => [
  status,
  body.code,
  body.errors?.map(({ field }) => field),
];

describe('createAccount', () => {
  it('requires only a name; the acting user owns the account', async () => {
    const api = service.as();
    const reply = await api.createAccount({ body: { name: 'Analytical Engines' } });
    expect([reply.status, reply.body.message]).toEqual([201, 'Account created']);
    expect(reply.data).toMatchObject({
      name: 'Analytical Engines',
      domain: null,
      size: null,
      address: { street: null, city: null, postalCode: null, region: null, country: null },
      ownerId: '1',
      createdBy: '1',
      parentAccountId: null,
      customFields: {},
      tags: [],
      version: 1,
    });
    expect((await api.getAccount({ params: { id: reply.data.id } })).data).toEqual(reply.data);
    const event = await eventOf(api, 'account.created', reply.data.id);
    expect(event.record).toEqual(reply.data);
  });

  it('stores every field; the account is in the team of its owner', async () => {
    const api = service.as();
    const parent = await anAccount(api);
    const fields = {
      industry: 'engineering',
      size: 250,
      website: 'https://www.example.com/about',
      phone: '+441234567890',
      ownerId: members.seller,
      parentAccountId: parent.id,
      customFields: { tier: 'gold' },
      tags: ['key'],
      externalId: 'crm-1',
    };
    const data = await anAccount(api, { ...fields, address: { city: 'London', country: 'GB' } });
    expect(data).toMatchObject({
      ...fields,
      teamId: teams.sales,
      address: { street: null, city: 'London', country: 'GB' },
    });
  });

  it.each([
    ['Example.COM', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example.org.', 'example.org'],
  ])('stores the domain %s as %s', async (sent, stored) => {
    expect((await anAccount(service.as(), { domain: sent })).domain).toBe(stored);
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a URL as domain', { domain: 'https://example.com/' }, 'domain'],
    ['an e-mail address as domain', { domain: 'ada@example.com' }, 'domain'],
    ['an IP address as domain', { domain: '127.0.0.1' }, 'domain'],
    ['a negative size', { size: -1 }, 'size'],
    ['another scheme', { website: 'javascript:alert(1)' }, 'website'],
    ['an unknown owner', { ownerId: users.nobody }, 'ownerId'],
    ['an inactive owner', { ownerId: users.suspended }, 'ownerId'],
    ['an unknown parent', { parentAccountId: '999999' }, 'parentAccountId'],
  ])('rejects %s', async (_, wrong, field) => {
    const reply = await service.as().createAccount({ body: { name: 'Engines', ...wrong } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });
});

describe('the domain and the externalId', () => {
  it('are unique among the accounts of an environment, ignoring case', async () => {
    const api = service.as();
    const first = await anAccount(api, { domain: 'one.example', externalId: 'one' });
    const other = await anAccount(api, { domain: 'two.example' });
    const create = (body: object, as = api) => as.createAccount({ body: { name: 'Engines', ...body } });
    const taken = await create({ domain: 'ONE.example' });
    expect(outcome(taken)).toEqual([409, 'domain_taken', ['domain']]);
    expect(taken.body.errors?.[0]?.message).toContain(`account ${first.id}›`);
    expect(outcome(await create({ externalId: 'one' }))).toEqual([409, 'external_id_taken', ['externalId']]);
    const params = { id: other.id };
    expect(outcome(await api.updateAccount({ params, body: { domain: 'one.example' } }))[1]).toBe('domain_taken');
    expect((await api.updateAccount({ params, body: { domain: 'two.example' } })).data.version).toBe(1);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await create({ domain: 'one.example' }, sandbox)).status).toBe(201);
  });

  it('find the account', async () => {
    const api = service.as();
    const { id } = await anAccount(api, { domain: 'one.example', externalId: 'one' });
    await anAccount(api, { domain: 'two.example', externalId: 'one2' });
    const found = async (query: Record<string, string>) =>
      (await api.listAccounts({ query })).data.map((one: { id: string }) => one.id);
    expect(await found({ externalId: 'one' })).toEqual([id]);
    expect(await found({ domain: 'ONE.example' })).toEqual([id]);
    expect(await found({ externalId: 'none' })).toEqual([]);
  });

  it('go to one of two requests at once', async () => {
    const api = service.as();
    const body = { name: 'Engines', domain: 'race.example' };
    const replies = await Promise.all([1, 2, 3].map(() => api.createAccount({ body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('are not revealed to a caller who cannot read the other account', async () => {
    const api = service.as();
    await anAccount(api, { domain: 'hidden.example' });
    const can = ['accounts:read:own', 'accounts:write:own'];
    const narrowed = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can });
    const reply = await narrowed.createAccount({ body: { name: 'Engines', domain: 'hidden.example' } });
    expect([reply.status, reply.body.errors]).toEqual([
      409,
      [{ field: 'domain', message: 'Must be unique; another account has it' }],
    ]);
  });
});

describe('updateAccount', () => {
  it('writes what changed, with the event; the same values are no change', async () => {
    const api = service.as();
    const { id } = await anAccount(api, { size: 10, address: { city: 'London' } });
    const update = (body: object, headers = {}) => api.updateAccount({ params: { id }, body, headers });
    const { data } = await update({ size: 20, address: { city: 'London' } });
    expect([data.size, data.version]).toEqual([20, 2]);
    expect((await update({ size: 20, tags: [] })).data.version).toBe(2);
    const event = await eventOf(api, 'account.updated', id);
    expect([event.data, event.changes]).toEqual([{ accountId: id, fields: ['size'] }, { size: { from: 10, to: 20 } }]);
    expect((await update({ size: 30 }, { 'if-match': '"1-x"' })).status).toBe(412);
  });

  it('follows a new owner into their team', async () => {
    const api = service.as();
    const { id } = await anAccount(api);
    const { data } = await api.updateAccount({ params: { id }, body: { ownerId: members.seller } });
    expect([data.ownerId, data.teamId]).toEqual([members.seller, teams.sales]);
  });
});

describe('parent companies', () => {
  it('form no loop, also by two requests at once', async () => {
    const api = service.as();
    const [a, b] = [await anAccount(api), await anAccount(api)];
    const under = (id: string, parentAccountId: string) =>
      api.updateAccount({ params: { id }, body: { parentAccountId } });
    expect(outcome(await under(a.id, a.id))).toEqual([409, 'parent_loop', ['parentAccountId']]);
    const replies = await Promise.all([under(a.id, b.id), under(b.id, a.id)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('have at most ten levels', async () => {
    const api = service.as();
    let parent = await anAccount(api);
    const top = parent;
    for (let level = 2; level <= 10; level++) parent = await anAccount(api, { parentAccountId: parent.id });
    const eleventh = await api.createAccount({ body: { name: 'Deep', parentAccountId: parent.id } });
    expect(outcome(eleventh)).toEqual([422, 'validation_failed', ['parentAccountId']]);
    const above = await anAccount(api);
    const reply = await api.updateAccount({ params: { id: top.id }, body: { parentAccountId: above.id } });
    expect(outcome(reply)).toEqual([422, 'validation_failed', ['parentAccountId']]);
  });
});

describe('deleteAccount', () => {
  it('deletes for 30 days; the account can be restored while its domain is free', async () => {
    const api = service.as();
    const { id } = await anAccount(api, { domain: 'back.example' });
    const params = { id };
    expect((await api.deleteAccount({ params })).data).toEqual({ id, deleted: true });
    expect([(await api.getAccount({ params })).status, (await api.deleteAccount({ params })).status]).toEqual([
      404, 404,
    ]);
    expect((await api.listAccounts()).data).toEqual([]);
    expect((await api.listAccounts({ query: { deleted: 'true' } })).data).toHaveLength(1);
    const other = await anAccount(api, { domain: 'back.example' });
    expect(outcome(await api.restoreAccount({ params }))[1]).toBe('domain_taken');
    await api.updateAccount({ params: { id: other.id }, body: { domain: null } });
    const restored = await api.restoreAccount({ params });
    expect([restored.status, restored.data.version]).toEqual([200, 3]);
    expect(outcome(await api.restoreAccount({ params }))[1]).toBe('not_deleted');
    expect((await eventOf(api, 'account.deleted', id)).data).toEqual({ accountId: id, mergedIntoId: null });
    await eventOf(api, 'account.restored', id);
  });

  it('refuses while the account has an open deal, also one that the caller cannot read', async () => {
    const api = service.as();
    const { id } = await anAccount(api);
    const { data: lead } = await api.createLead({ body: aLead({ accountId: id }) });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    expect(deal.accountId).toBe(id);
    const onlyAccounts = service.as({ tenantId: api.caller.tenantId as number, can: ['accounts:delete'] });
    expect(outcome(await onlyAccounts.deleteAccount({ params: { id } }))[1]).toBe('open_opportunities');
    await api.winOpportunity({ params: { id: deal.id }, body: {} });
    expect((await api.deleteAccount({ params: { id } })).status).toBe(200);
    expect((await api.getLead({ params: { id: lead.id } })).data.accountId).toBe(id);
  });

  it('is permanent after 30 days', async () => {
    const api = service.as();
    const { id } = await anAccount(api);
    await api.deleteAccount({ params: { id } });
    const { tenantId } = api.caller;
    const scope = `SET app.tenant_id = '${tenantId}'; SET app.environment = 'live';`;
    await service.sql(`${scope} UPDATE account SET deleted_at = now() - interval '31 days' WHERE id = ${id}`);
    await service.housekeep();
    expect((await api.restoreAccount({ params: { id } })).status).toBe(404);
  });
});

describe('leads and opportunities of an account', () => {
  it('name it, are listed by it, and inherit it', async () => {
    const api = service.as();
    const [account, other] = [await anAccount(api), await anAccount(api)];
    const { data: lead } = await api.createLead({ body: aLead({ accountId: account.id }) });
    await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const ids = (reply: { data: { id: string }[] }) => reply.data.map(({ id }) => id);
    const params = { id: account.id };
    const query = { accountId: account.id };
    expect(ids(await api.listLeads({ query }))).toEqual([lead.id]);
    expect(ids(await api.listOpportunities({ query }))).toEqual([deal.id]);
    expect(ids(await api.listAccountLeads({ params, query: { status: 'qualified' } }))).toEqual([lead.id]);
    expect(ids(await api.listAccountLeads({ params, query: { status: 'new' } }))).toEqual([]);
    expect(ids(await api.listAccountOpportunities({ params, query: { status: 'open' } }))).toEqual([deal.id]);
    expect(ids(await api.listAccountLeads({ params: { id: other.id } }))).toEqual([]);
    const moved = await api.updateLead({ params: { id: lead.id }, body: { accountId: other.id } });
    expect(moved.data.accountId).toBe(other.id);
    const names = { account: [account.id] };
    const internal = service.as({ ...api.caller, type: 'system' });
    expect((await internal.nameCrmRecords({ body: names })).data).toEqual({
      account: [{ id: account.id, name: 'Engines' }],
    });
  });

  it('are put only to an account that the caller can read', async () => {
    const api = service.as();
    const account = await anAccount(api);
    const tenantId = api.caller.tenantId as number;
    const create = async (...can: string[]) =>
      (await service.as({ tenantId, userId: 8, can }).createLead({ body: aLead({ accountId: account.id }) })).status;
    expect(await create('leads:write')).toBe(403);
    expect(await create('leads:write', 'accounts:read:own')).toBe(422);
    expect(await create('leads:write', 'accounts:read')).toBe(201);
    await api.deleteAccount({ params: { id: account.id } });
    expect(await create('leads:write', 'accounts:read')).toBe(422);
  });
});

describe('listAccounts', () => {
  it('filters, searches and sorts', async () => {
    const api = service.as();
    const parent = await anAccount(api, { name: 'Parent', domain: 'parent.example', industry: 'steel' });
    const fields = { tags: ['key'], customFields: { tier: 'gold' }, ownerId: members.seller, externalId: 'ext-77' };
    await anAccount(api, { name: 'Child', parentAccountId: parent.id, ...fields });
    const names = async (query: Record<string, string>) =>
      (await api.listAccounts({ query })).data.map(({ name }: { name: string }) => name);
    for (const query of [
      { parentAccountId: parent.id },
      { tag: 'key' },
      { 'customFields[tier]': 'gold' },
      { ownerId: members.seller },
      { teamId: teams.sales },
      { search: 'T-77' },
    ] as Record<string, string>[])
      expect(await names(query)).toEqual(['Child']);
    for (const query of [{ domain: 'PARENT.example' }, { industry: 'steel' }, { search: 'rent.exa' }])
      expect(await names(query as Record<string, string>)).toEqual(['Parent']);
    expect(await names({ sort: 'name' })).toEqual(['Child', 'Parent']);
    expect(await names({ sort: 'domain' })).toEqual(['Parent', 'Child']);
  });

  it('shows a narrowed caller the accounts of their own, or of their team', async () => {
    const api = service.as();
    const [mine, ofTeam] = [
      await anAccount(api, { ownerId: members.seller, teamId: null }),
      await anAccount(api, { teamId: teams.sales }),
    ];
    await anAccount(api);
    const tenantId = api.caller.tenantId as number;
    const seen = async (reach: string) => {
      const who = { tenantId, userId: Number(members.seller), teamIds: [Number(teams.sales)] };
      const narrowed = service.as({ ...who, can: [`accounts:read:${reach}`] });
      const { data } = await narrowed.listAccounts({ query: { sort: 'createdAt' } });
      return data.map(({ id }: { id: string }) => id);
    };
    expect([await seen('own'), await seen('team')]).toEqual([[mine.id], [mine.id, ofTeam.id]]);
  });
});
