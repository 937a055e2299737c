import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { knownPartnerId, partnerPeer } from '../../partner-peer.test-service.ts';

const partnerId = knownPartnerId;

let identity: Awaited<ReturnType<typeof identityPeer>>;
let partners: Awaited<ReturnType<typeof partnerPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  partners = await partnerPeer();
  service = await startCrm({ IDENTITY_URL: identity.url, PARTNER_URL: partners.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
  await partners?.close();
});

type Api = ReturnType<typeof service.as>;

async function aDeal(fields = {}, api: Api = service.as()) {
  const { data, status } = await api.createOpportunity({ body: { name: 'Rollout', value: 100, ...fields } });
  expect(status).toBe(201);
  return { api, deal: data, params: { id: data.id as string } };
}

async function stageId(api: Api, code: string): Promise<string> {
  const { data } = await api.listStatuses({ query: { entityType: 'opportunity', limit: '100' } });
  return data.find((stage: { code: string }) => stage.code === code).id;
}

const inTenant = (api: Api, caller: object) =>
  service.as({ tenantId: api.caller.tenantId as number, ...caller }) as unknown as Api;
const eventsOf = (api: Api) => service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
/** The names of all events of a tenant about opportunities, once there are this many. */
const names = (api: Api, count: number) =>
  until(`${count} events`, () => {
    const found = eventsOf(api)
      .map(({ name }) => name)
      .filter((name) => name.startsWith('opportunity.'));
    return found.length >= count && found;
  });
const historyOf = async (api: Api, params: { id: string }) =>
  (await api.listStageHistory({ params, query: { sort: 'enteredAt' } })).data;

describe('createOpportunity', () => {
  it('opens a deal in the default stage, in the currency of the tenant, owned by the caller', async () => {
    const { api, deal, params } = await aDeal();
    expect(deal).toMatchObject({
      name: 'Rollout',
      value: 100,
      currency: 'EUR',
      status: 'open',
      stage: 'prospecting',
      probability: 10,
      probabilityOverridden: false,
      forecastCategory: 'pipeline',
      leadId: null,
      partnerId: null,
      customFields: {},
      notes: null,
      ownerId: '1',
      version: 1,
    });
    expect((await api.getOpportunity({ params })).data).toEqual(deal);
    await names(api, 1);
    expect(eventsOf(api)[0]).toMatchObject({
      name: 'opportunity.created',
      data: { opportunityId: params.id, value: 100, currency: 'EUR', stage: 'prospecting' },
      record: deal,
    });
  });

  it('accepts lead, stage, partner, owner, probability and custom fields', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const fields = { leadId: lead.id, partnerId, probability: 35, customFields: { seats: 5 }, notes: 'Call first' };
    const { deal } = await aDeal({ ...fields, stageId: await stageId(api, 'proposal'), ownerId: members.seller }, api);
    expect(deal).toMatchObject({ ...fields, stage: 'proposal', probabilityOverridden: true, teamId: teams.sales });
    expect((await api.getLead({ params: { id: lead.id } })).data).toMatchObject({ status: 'new', version: 1 });
    const listed = await api.listOpportunities({ query: { partnerId } });
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([deal.id]);
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['more decimals than the currency has', { value: 1.5, currency: 'JPY' }, 'value'],
    ['a currency that does not exist', { currency: 'ABC' }, 'currency'],
    ['an unknown lead', { leadId: '999999' }, 'leadId'],
    ['an unknown partner', { partnerId: '32' }, 'partnerId'],
    ['an inactive owner', { ownerId: users.suspended }, 'ownerId'],
    ['an unknown stage', { stageId: '999999' }, 'stageId'],
    ['a probability above 100', { probability: 101 }, 'probability'],
    ['the forecast category of won deals', { forecastCategory: 'closed' }, 'forecastCategory'],
  ])('rejects %s', async (_, wrong, field) => {
    const reply = await service.as().createOpportunity({ body: { name: 'Rollout', ...wrong } as never });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('rejects a closed stage, and ids outside of the permissions of the caller', async () => {
    const api = service.as();
    const closed = await api.createOpportunity({ body: { name: 'Rollout', stageId: await stageId(api, 'won') } });
    expect([closed.status, closed.body.errors?.[0]?.field]).toEqual([422, 'stageId']);
    const { data: lead } = await api.createLead({ body: aLead() });
    const create = async (...can: string[]) =>
      (await inTenant(api, { userId: 2, can }).createOpportunity({ body: { name: 'x', leadId: lead.id } })).status;
    expect(await create('opportunities:write')).toBe(403);
    expect(await create('opportunities:write', 'leads:read:own')).toBe(422);
    expect(await create('opportunities:write:own', 'leads:read')).toBe(201);
  });
});

describe('updateOpportunity', () => {
  it('changes fields with one event, and nothing if nothing differs', async () => {
    const { api, params } = await aDeal();
    const change = { name: 'Second', value: 250.5, currency: 'USD', forecastCategory: 'commit' as const, partnerId };
    const { data } = await api.updateOpportunity({ params, body: change });
    expect(data).toMatchObject({ ...change, version: 2 });
    expect((await api.updateOpportunity({ params, body: change })).data.version).toBe(2);
    await names(api, 2);
    const [, updated] = eventsOf(api);
    expect([updated?.name, updated?.data]).toEqual([
      'opportunity.updated',
      { opportunityId: params.id, fields: ['name', 'value', 'currency', 'forecastCategory', 'partnerId'] },
    ]);
    expect(updated?.changes?.['value']).toEqual({ from: 100, to: 250.5 });
  });

  it('rejects amounts that do not fit the currency, stale versions and unknown users', async () => {
    const { api, params } = await aDeal({ value: 12.5 });
    const field = async (body: object) => (await api.updateOpportunity({ params, body })).body.errors?.[0]?.field;
    expect(await field({ currency: 'JPY' })).toBe('value');
    expect(await field({ value: -1 })).toBe('value');
    expect(await field({ ownerId: users.nobody })).toBe('ownerId');
    expect(await field({ partnerId: '32' })).toBe('partnerId');
    expect(await field({ reason: 'why' })).toBe('reason');
    const stale = await api.updateOpportunity({ params, body: { name: 'x' }, headers: { 'if-match': '"9"' } });
    expect(stale.status).toBe(412);
    expect((await api.getOpportunity({ params })).data).toMatchObject({ value: 12.5, version: 1 });
  });

  it('keeps a probability that a user set, until it is null', async () => {
    const { api, params } = await aDeal();
    const update = async (body: object) => (await api.updateOpportunity({ params, body })).data;
    expect(await update({ probability: 66 })).toMatchObject({ probability: 66, probabilityOverridden: true });
    expect(await update({ stage: 'proposal' })).toMatchObject({ probability: 66, stage: 'proposal' });
    expect(await update({ probability: null })).toMatchObject({ probability: 50, probabilityOverridden: false });
    expect(await update({ stage: 'negotiation', probability: 90 })).toMatchObject({ probability: 90 });
  });

  it('takes a deal into the team of its new owner', async () => {
    const { api, params } = await aDeal();
    const { data } = await api.updateOpportunity({ params, body: { ownerId: members.seller } });
    expect([data.ownerId, data.teamId]).toEqual([members.seller, teams.sales]);
  });

  it('moves a deal by the rules of the verbs, with its fields in one version', async () => {
    const { api, params } = await aDeal();
    const update = (body: object) => api.updateOpportunity({ params, body });
    expect((await update({ status: 'lost' })).body.errors?.[0]?.field).toBe('reasonCode');
    expect((await update({ status: 'won', stage: 'proposal' })).body.errors?.[0]?.field).toBe('stageId');
    expect((await update({ status: 'open' })).data.version).toBe(1);
    const { data } = await update({ status: 'won', value: 300, reasonCode: 'price' });
    expect(data).toMatchObject({ status: 'won', value: 300, version: 2, outcome: { reasonCode: 'price' } });
    expect((await update({ status: 'won' })).data.version).toBe(2);
    expect((await update({ status: 'lost', reasonCode: 'price' })).body.code).toBe('opportunity_closed');
    expect((await update({ stage: 'proposal' })).body.code).toBe('opportunity_closed');
    expect((await update({ status: 'open', name: 'Again' })).data).toMatchObject({ status: 'open', name: 'Again' });
    expect(await names(api, 7)).toEqual([
      'opportunity.created',
      ...['opportunity.updated', 'opportunity.stage_changed', 'opportunity.won'],
      ...['opportunity.updated', 'opportunity.stage_changed', 'opportunity.reopened'],
    ]);
  });

  it('changes only notes and custom fields of a closed deal', async () => {
    const { api, params } = await aDeal();
    await api.winOpportunity({ params, body: {} });
    const refused = await api.updateOpportunity({ params, body: { name: 'x', value: 5, notes: 'Paid' } });
    expect([refused.status, refused.body.errors?.map(({ field }) => field)]).toEqual([409, ['name', 'value']]);
    const change = { notes: 'Paid', customFields: { seats: 5 }, name: 'Rollout' };
    expect((await api.updateOpportunity({ params, body: change })).data).toMatchObject(change);
  });

  it('is limited to own deals for a narrowed caller', async () => {
    const { api, params } = await aDeal();
    const narrow = inTenant(api, { userId: 9, can: ['opportunities:write:own', 'opportunities:read:own'] });
    for (const reply of [
      await narrow.updateOpportunity({ params, body: { name: 'x' } }),
      await narrow.moveOpportunity({ params, body: { stage: 'proposal' } }),
      await narrow.listStageHistory({ params }),
    ])
      expect(reply.status).toBe(404);
    const own = await aDeal({}, narrow);
    expect((await narrow.moveOpportunity({ params: own.params, body: { stage: 'proposal' } })).status).toBe(200);
    expect(await historyOf(narrow, own.params)).toHaveLength(2);
  });
});
