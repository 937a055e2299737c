import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
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

async function aStoredLead(fields = {}, api = service.as()) {
  const { data: lead } = await api.createLead({ body: aLead(fields) });
  return { api, lead, leadId: lead.id as string, params: { id: lead.id } };
}

async function stageId(api: Api, code: string): Promise<string> {
  const { data } = await api.listStatuses({ query: { entityType: 'opportunity', limit: '100' } });
  return data.find((stage: { code: string }) => stage.code === code).id;
}

const eventsOf = (api: Api) => service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);

describe('convertLead', () => {
  it('opens an opportunity in the default stage, in the currency of the tenant, owned by the caller', async () => {
    const { api, lead, leadId } = await aStoredLead();
    const reply = await api.convertLead({ body: { leadId } });
    expect([reply.status, reply.body.message, reply.headers['etag']]).toEqual([
      201,
      'Lead converted',
      expect.stringMatching(/^"1-/),
    ]);
    expect(reply.data).toMatchObject({
      leadId,
      name: `${lead.firstName} ${lead.lastName}`,
      value: 0,
      currency: 'EUR',
      stage: 'prospecting',
      stageId: await stageId(api, 'prospecting'),
      status: 'open',
      allowedTransitions: ['won', 'lost'],
      probability: 10,
      forecastCategory: 'pipeline',
      expectedCloseAt: null,
      closedAt: null,
      outcome: null,
      ownerId: '1',
      createdBy: '1',
      daysInStage: 0,
      version: 1,
    });
    expect((await api.getOpportunity({ params: { id: reply.data.id } })).data).toEqual(reply.data);
  });

  it('accepts a lead with names of maximum length', async () => {
    const { api, leadId } = await aStoredLead({ firstName: 'F'.repeat(100), lastName: 'L'.repeat(100) });
    const { status, data } = await api.convertLead({ body: { leadId } });
    expect([status, data.name]).toEqual([201, `${'F'.repeat(100)} ${'L'.repeat(99)}`]);
  });

  it('uses the default currency of the acting user unless the request names one', async () => {
    identity.currencies.set(users.active, 'CHF');
    const api = service.as({ type: 'user', userId: Number(users.active), keyId: undefined } as never);
    const open = async (fields: object) => {
      const { data: lead } = await api.createLead({ body: aLead() });
      return (await api.convertLead({ body: { leadId: lead.id, value: 10, ...fields } })).data;
    };
    const currencies = [await open({}), await open({ currency: 'USD' })].map(({ currency }) => currency);
    identity.currencies.delete(users.active);
    expect([...currencies, (await open({})).currency]).toEqual(['CHF', 'USD', 'EUR']);
  });

  it('accepts value, currency, stage, name, expected close and owner', async () => {
    const { api, leadId } = await aStoredLead();
    const proposal = await stageId(api, 'proposal');
    const fields = { value: 4800.5, currency: 'USD', name: 'Rollout', expectedCloseAt: '2027-01-31T00:00:00.000Z' };
    const { data } = await api.convertLead({ body: { leadId, ...fields, stageId: proposal, ownerId: users.active } });
    expect(data).toMatchObject({
      ...fields,
      stage: 'proposal',
      probability: 50,
      ownerId: users.active,
      createdBy: '1',
    });
  });

  it('accepts another account and partner than those of the lead, or none', async () => {
    const { api, leadId } = await aStoredLead();
    const account = (await api.createAccount({ body: { name: 'Analytical Engines' } })).data;
    const lead = (await api.updateLead({ params: { id: leadId }, body: { accountId: account.id } })).data;
    expect(lead.accountId).toBe(account.id);
    const unknown = await api.convertLead({ body: { leadId, accountId: '999999' } });
    expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'accountId']);
    const other = (await api.createAccount({ body: { name: 'Difference Engines' } })).data;
    const { data } = await api.convertLead({ body: { leadId, accountId: other.id, partnerId: null } });
    expect(data).toMatchObject({ accountId: other.id, partnerId: null });
    expect((await api.getLead({ params: { id: leadId } })).data.accountId).toBe(account.id);
    const { leadId: free } = await aStoredLead({}, api);
    await api.convertLead({ body: { leadId: free, accountId: other.id } });
    expect((await api.getLead({ params: { id: free } })).data.accountId).toBe(other.id);
    const { leadId: second } = await aStoredLead({ accountId: account.id }, api);
    expect((await api.convertLead({ body: { leadId: second, accountId: null } })).data.accountId).toBeNull();
  });

  it.each([
    [899_999_999_999.99, 'EUR'],
    [4800, 'JPY'],
    [1.005, 'KWD'],
  ])('stores %d %s exactly', async (value, currency) => {
    const { api, leadId } = await aStoredLead();
    const { data, status } = await api.convertLead({ body: { leadId, value, currency } });
    expect([status, data.value, data.currency]).toEqual([201, value, currency]);
    const won = await api.winOpportunity({ params: { id: data.id }, body: {} });
    expect([won.status, won.data.value]).toEqual([200, value]);
  });

  it('qualifies the lead permanently, and links it to the opportunity', async () => {
    const { api, leadId, params } = await aStoredLead({ status: 'unqualified' });
    const { data } = await api.convertLead({ body: { leadId } });
    const lead = (await api.getLead({ params })).data;
    expect(lead).toMatchObject({
      status: 'qualified',
      convertedAt: data.createdAt,
      convertedOpportunityId: data.id,
      allowedTransitions: [],
      version: 2,
    });
    for (const reply of [
      await api.changeLeadStatus({ params, body: { status: 'contacted' } }),
      await api.updateLead({ params, body: { status: 'contacted' } }),
    ])
      expect([reply.status, reply.body.code, reply.body.errors?.[0]?.field]).toEqual([409, 'lead_converted', 'status']);
    expect((await api.updateLead({ params, body: { status: 'qualified', score: 5 } })).status).toBe(200);
    await aStoredLead({}, api);
    const ids = async (converted: string) =>
      (await api.listLeads({ query: { converted } })).data.map(({ id }: { id: string }) => id);
    expect([await ids('true'), (await ids('false')).includes(leadId)]).toEqual([[leadId], false]);
  });

  it('emits opportunity.created, lead.updated and lead.converted', async () => {
    const { api, leadId } = await aStoredLead();
    const { data } = await api.convertLead({ body: { leadId, value: 4800 } });
    const events = await until('the events arrive', () => {
      const found = eventsOf(api).filter(({ name }) => name !== 'lead.created');
      return found.length === 3 && found;
    });
    const of = (name: string) => events.find((event) => event.name === name);
    expect(of('opportunity.created')?.data).toEqual({
      opportunityId: data.id,
      value: 4800,
      currency: data.currency,
      stage: 'prospecting',
    });
    expect(of('opportunity.created')?.record).toEqual(data);
    expect(of('lead.updated')?.data).toEqual({
      leadId,
      changes: {
        status: 'qualified',
        statusCode: 'qualified',
        convertedAt: data.createdAt,
        convertedOpportunityId: data.id,
      },
    });
    expect(of('lead.updated')?.changes?.['status']).toEqual({ from: 'new', to: 'qualified' });
    expect(of('lead.converted')?.data).toEqual({ leadId, opportunityId: data.id });
  });

  it('converts a lead once, even with concurrent requests', async () => {
    const { api, leadId } = await aStoredLead();
    const replies = await Promise.all([1, 2].map(() => api.convertLead({ body: { leadId } })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const again = await api.convertLead({ body: { leadId } });
    expect([again.status, again.body.code, again.body.errors?.[0]?.field]).toEqual([409, 'lead_converted', 'leadId']);
    expect((await api.listOpportunities()).body.pagination?.total).toBe(1);
  });

  it('rejects leads that are unknown, deleted or of another tenant', async () => {
    const { api, leadId, params } = await aStoredLead();
    await api.deleteLead({ params });
    const foreign = await aStoredLead();
    for (const id of [leadId, foreign.leadId, '999999999']) {
      const reply = await api.convertLead({ body: { leadId: id } });
      expect([reply.status, reply.body.errors]).toEqual([422, [{ field: 'leadId', message: 'No lead with this id' }]]);
    }
    expect((await foreign.api.getLead({ params: foreign.params })).data.status).toBe('new');
  });

  it('rejects stages that are foreign, closed or not stages, and leaves the lead unchanged', async () => {
    const { api, leadId, params } = await aStoredLead();
    const statuses = (await api.listStatuses({ query: { entityType: 'lead' } })).data;
    const stages = [await stageId(api, 'won'), await stageId(service.as(), 'prospecting'), statuses[0].id, '999999999'];
    for (const id of stages) {
      const reply = await api.convertLead({ body: { leadId, stageId: id } });
      expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['stageId']]);
    }
    expect((await api.getLead({ params })).data).toMatchObject({ status: 'new', convertedAt: null, version: 1 });
  });

  it.each([
    ['no lead', { leadId: undefined }, 'leadId'],
    ['a negative value', { value: -1 }, 'value'],
    ['more decimals than the currency has', { value: 1.5, currency: 'JPY' }, 'value'],
    ['more decimals than the currency of the tenant has', { value: 1.005 }, 'value'],
    ['a currency that does not exist', { currency: 'ABC' }, 'currency'],
    ['an unknown owner', { ownerId: users.nobody }, 'ownerId'],
    ['an inactive owner', { ownerId: users.suspended }, 'ownerId'],
    ['an invalid time', { expectedCloseAt: 'soon' }, 'expectedCloseAt'],
  ])('rejects %s', async (_, wrong, field) => {
    const { api, leadId } = await aStoredLead();
    const reply = await api.convertLead({ body: { leadId, ...wrong } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('requests the currency of a tenant once a minute, and only when the body has none', async () => {
    const { api, leadId } = await aStoredLead();
    const before = identity.asked.length;
    await api.convertLead({ body: { leadId, currency: 'EUR' } });
    expect(identity.asked).toHaveLength(before);
    for (let time = 0; time < 3; time++) {
      const { leadId: another } = await aStoredLead({}, api);
      expect((await api.convertLead({ body: { leadId: another } })).data.currency).toBe('EUR');
    }
    // The choice of the acting user is not cached.
    const asked = identity.asked.slice(before);
    expect(asked.filter((path) => path !== '/internal/users/1')).toEqual(['/internal/tenants/settings']);
    expect(asked).toHaveLength(4);
  });

  it('lets a caller limited to own records convert only own leads', async () => {
    const { api, leadId } = await aStoredLead();
    const tenantId = api.caller.tenantId as number;
    const narrow = service.as({
      tenantId,
      userId: 2,
      can: ['opportunities:write:own', 'leads:write:own', 'leads:read:own'],
    });
    expect((await narrow.convertLead({ body: { leadId } })).body.errors?.[0]?.field).toBe('leadId');
    const { leadId: own } = await aStoredLead({}, narrow as Api);
    expect((await narrow.convertLead({ body: { leadId: own } })).status).toBe(201);
  });

  it('requires leads:write and leads:read, and respects its limits', async () => {
    const { api, leadId } = await aStoredLead();
    const as = (...can: string[]) => service.as({ tenantId: api.caller.tenantId as number, userId: 2, can });
    const answer = async (...can: string[]) => (await as(...can).convertLead({ body: { leadId } })).status;
    expect(await answer('opportunities:write')).toBe(403);
    expect(await answer('opportunities:write', 'leads:read')).toBe(403);
    expect(await answer('opportunities:write', 'leads:write')).toBe(403);
    expect(await answer('opportunities:write', 'leads:write', 'leads:read:own')).toBe(422);
    expect(await answer('opportunities:write', 'leads:write:own', 'leads:read')).toBe(422);
    expect((await api.getLead({ params: { id: leadId } })).data).toMatchObject({ status: 'new', convertedAt: null });
    expect(await answer('opportunities:write:own', 'leads:write', 'leads:read')).toBe(201);
  });
});

describe('the referral code of a lead', () => {
  it('is stored, and is part of the lead event', async () => {
    const { api, lead } = await aStoredLead({ referralCode: 'ADA-2026' });
    expect(lead.referralCode).toBe('ADA-2026');
    const event = await until('the event arrives', () => eventsOf(api).find(({ name }) => name === 'lead.created'));
    expect(event.record).toMatchObject({ referralCode: 'ADA-2026' });
    expect((await api.createLead({ body: aLead({ referralCode: 'abc' }) })).status).toBe(422);
    expect((await api.createLead({ body: aLead() })).data.referralCode).toBeNull();
  });
});

describe('findLeads', () => {
  it('returns only leads of the tenant that are not deleted', async () => {
    const { api, leadId, lead } = await aStoredLead({ phone: '+491701234567' });
    const deleted = await aStoredLead({}, api);
    await api.deleteLead({ params: deleted.params });
    const foreign = await aStoredLead();
    const fleet = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    const { data } = await fleet.findLeads({ body: { ids: [leadId, deleted.leadId, foreign.leadId, '999999999'] } });
    const { email, firstName, lastName, createdAt } = lead;
    const rest = {
      status: 'new',
      score: 0,
      source: null,
      assignedTo: null,
      partnerId: null,
      timezone: null,
      consent: {},
    };
    expect(data).toEqual([{ id: leadId, email, firstName, lastName, phone: '+491701234567', createdAt, ...rest }]);
    const narrowedTo = (userId: number) => service.as({ ...fleet.caller, narrow: { userId } });
    expect((await narrowedTo(1).findLeads({ body: { ids: [leadId] } })).data).toHaveLength(1);
    expect((await narrowedTo(2).findLeads({ body: { ids: [leadId] } })).data).toEqual([]);
    const filtered = async (api: Api) =>
      (await api.filterLeads({ body: { ids: [leadId, deleted.leadId, foreign.leadId] } })).data;
    expect(await filtered(fleet)).toEqual({ ids: [leadId] });
    expect(await filtered(narrowedTo(2))).toEqual({ ids: [] });
    expect((await fleet.findLeads({ body: { ids: [] } })).data).toEqual([]);
    expect((await fleet.findLeads({ body: { ids: Array(251).fill('1') } })).status).toBe(422);
    expect((await api.findLeads({ body: { ids: [] } })).status).toBe(403);
  });
});
