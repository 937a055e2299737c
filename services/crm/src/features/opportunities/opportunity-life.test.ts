import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until } from '@tandem/testing';
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

describe('moveOpportunity', () => {
  it('moves between open stages, with the probability of the stage and a history', async () => {
    const { api, params } = await aDeal();
    const { data } = await api.moveOpportunity({ params, body: { stage: 'proposal', reason: 'Budget approved' } });
    expect(data).toMatchObject({ stage: 'proposal', probability: 50, status: 'open', version: 2 });
    const back = await api.moveOpportunity({ params, body: { stageId: await stageId(api, 'prospecting') } });
    expect(back.data).toMatchObject({ stage: 'prospecting', probability: 10 });
    const same = await api.moveOpportunity({ params, body: { stage: 'prospecting' } });
    expect([same.status, same.data.version]).toEqual([200, 3]);
    const [first, second, third] = await historyOf(api, params);
    expect(first).toMatchObject({ stage: 'prospecting', status: 'open', byUserId: '1', leftAt: second.enteredAt });
    expect(second).toMatchObject({ stage: 'proposal', reason: 'Budget approved', leftAt: third.enteredAt });
    expect(third).toMatchObject({ stage: 'prospecting', leftAt: null, durationSeconds: expect.any(Number) });
    expect(await names(api, 3)).toEqual([
      'opportunity.created',
      'opportunity.stage_changed',
      'opportunity.stage_changed',
    ]);
    expect(eventsOf(api)[1]?.data).toEqual({ opportunityId: params.id, from: 'prospecting', to: 'proposal' });
  });

  it('closes a deal in a won or lost stage by the rules of winning and losing', async () => {
    const { api, params } = await aDeal();
    const move = (body: object) => api.moveOpportunity({ params, body });
    expect((await move({ stage: 'lost' })).body.errors?.[0]?.field).toBe('reasonCode');
    const { data } = await move({ stage: 'lost', reasonCode: 'price', competitor: 'Difference Ltd' });
    expect(data).toMatchObject({ status: 'lost', probability: 0, outcome: { competitor: 'Difference Ltd' } });
    expect((await move({ stage: 'lost' })).data.version).toBe(2);
    const closed = await move({ stage: 'proposal' });
    expect([closed.status, closed.body.code]).toEqual([409, 'opportunity_closed']);
    expect(await names(api, 3)).toEqual(['opportunity.created', 'opportunity.stage_changed', 'opportunity.lost']);
  });

  it('rejects a move without a stage, and stages that are unknown, foreign or contradictory', async () => {
    const { api, params } = await aDeal();
    const field = async (body: object) => (await api.moveOpportunity({ params, body })).body.errors?.[0]?.field;
    expect(await field({})).toBe('stageId');
    expect(await field({ stage: 'nowhere' })).toBe('stage');
    expect(await field({ stageId: await stageId(service.as(), 'proposal') })).toBe('stageId');
    expect(await field({ stageId: await stageId(api, 'proposal'), stage: 'negotiation' })).toBe('stage');
    expect(await historyOf(api, params)).toHaveLength(1);
  });

  it('has one winner when a move and a win are concurrent', async () => {
    const { api, params } = await aDeal();
    const headers = { 'if-match': '"1"' };
    const replies = await Promise.all([
      api.moveOpportunity({ params, body: { stage: 'proposal' }, headers }),
      api.winOpportunity({ params, body: {}, headers }),
      api.loseOpportunity({ params, body: { reasonCode: 'price' }, headers }),
    ]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await historyOf(api, params)).toHaveLength(2);
  });

  it('starts the history of a deal that the previous release created', async () => {
    const { api, params } = await aDeal();
    await service.sqlWithin(api.caller, 'DELETE FROM stage_entry WHERE opportunity_id = $1', [params.id]);
    await api.moveOpportunity({ params, body: { stage: 'proposal' } });
    expect((await historyOf(api, params)).map(({ stage }: { stage: string }) => stage)).toEqual([
      'prospecting',
      'proposal',
    ]);
  });
});

describe('a closed deal', () => {
  it('has an outcome, which an open deal has not', async () => {
    const { api, params } = await aDeal();
    const open = await api.getOpportunityOutcome({ params });
    expect([open.status, open.body.code]).toEqual([409, 'opportunity_open']);
    await api.loseOpportunity({ params, body: { reasonCode: 'price', competitor: 'Difference Ltd' } });
    const { data } = await api.getOpportunityOutcome({ params });
    expect(data).toMatchObject({ result: 'lost', reasonCode: 'price', competitor: 'Difference Ltd', byUserId: '1' });
    expect(Date.parse(data.closedAt)).toBeGreaterThan(0);
  });

  it('is reopened in the stage that it was in last, and can be won again', async () => {
    const { api, params } = await aDeal({ probability: 70 });
    await api.moveOpportunity({ params, body: { stage: 'negotiation' } });
    await api.winOpportunity({ params, body: {} });
    const { data } = await api.reopenOpportunity({ params, body: { reason: 'Not signed' } });
    expect(data).toMatchObject({
      status: 'open',
      stage: 'negotiation',
      probability: 75,
      forecastCategory: 'pipeline',
      closedAt: null,
      outcome: null,
      allowedTransitions: ['won', 'lost'],
    });
    const again = await api.reopenOpportunity({ params, body: {} });
    expect([again.status, again.body.code]).toEqual([409, 'opportunity_open']);
    expect((await api.winOpportunity({ params, body: {} })).status).toBe(200);
    expect((await names(api, 8)).slice(4)).toEqual([
      ...['opportunity.stage_changed', 'opportunity.reopened'],
      ...['opportunity.stage_changed', 'opportunity.won'],
    ]);
    const reopened = eventsOf(api).find(({ name }) => name === 'opportunity.reopened');
    expect(reopened?.data).toEqual({ opportunityId: params.id, result: 'won', reason: 'Not signed' });
  });

  it('is reopened once, in a named open stage', async () => {
    const { api, params } = await aDeal();
    await api.loseOpportunity({ params, body: { reasonCode: 'price' } });
    const closed = await api.reopenOpportunity({ params, body: { stageId: await stageId(api, 'won') } });
    expect([closed.status, closed.body.errors?.[0]?.field]).toEqual([422, 'stageId']);
    const body = { stageId: await stageId(api, 'proposal') };
    const replies = await Promise.all([1, 2].map(() => api.reopenOpportunity({ params, body })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await api.getOpportunity({ params })).data).toMatchObject({ stage: 'proposal', version: 3 });
  });

  it('closes in a named stage with that result only', async () => {
    const { api, params } = await aDeal();
    const stage = { entityType: 'opportunity' as const, code: 'signed', name: 'Signed', isClosed: true, isWon: true };
    const { data: signed } = await api.createStatus({ body: { ...stage, sortOrder: 99 } });
    const lost = await api.loseOpportunity({ params, body: { reasonCode: 'price', stageId: signed.id } });
    expect([lost.status, lost.body.errors?.[0]?.field]).toEqual([422, 'stageId']);
    expect((await api.winOpportunity({ params, body: { stageId: signed.id } })).data.stage).toBe('signed');
  });
});

describe('a deleted deal', () => {
  it('vanishes until it is restored, and keeps its lead converted', async () => {
    const api = service.as();
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    const params = { id: deal.id };
    expect((await api.deleteOpportunity({ params })).data).toEqual({ id: deal.id, deleted: true });
    for (const reply of [
      await api.getOpportunity({ params }),
      await api.updateOpportunity({ params, body: { name: 'x' } }),
      await api.winOpportunity({ params, body: {} }),
      await api.listStageHistory({ params }),
      await api.deleteOpportunity({ params }),
    ])
      expect(reply.status).toBe(404);
    const count = async (query = {}) => (await api.listOpportunities({ query })).body.pagination?.total;
    expect([await count(), await count({ deleted: 'true' })]).toEqual([0, 1]);
    const task = await api.createTask({ body: { title: 'Call', opportunityId: deal.id } });
    expect([task.status, task.body.errors?.[0]?.field]).toEqual([422, 'opportunityId']);
    expect((await api.getLead({ params: { id: lead.id } })).data.convertedOpportunityId).toBe(deal.id);
    const fleet = service.as({ type: 'system', tenantId: api.caller.tenantId as number });
    expect((await fleet.exportOpportunities({ body: { after: null } })).data).toMatchObject([{ isDeleted: true }]);
    expect((await fleet.filterOpportunities({ body: { ids: [deal.id] } })).data).toEqual({ ids: [] });
    const restored = await api.restoreOpportunity({ params });
    expect([restored.status, restored.data.version]).toEqual([200, 3]);
    expect((await api.restoreOpportunity({ params })).body.code).toBe('not_deleted');
    expect((await fleet.filterOpportunities({ body: { ids: [deal.id] } })).data).toEqual({ ids: [deal.id] });
    expect((await names(api, 3)).slice(1)).toEqual(['opportunity.deleted', 'opportunity.restored']);
  });

  it('is removed with its history after 30 days', async () => {
    const { api, params } = await aDeal();
    const { params: kept } = await aDeal({}, api);
    await api.deleteOpportunity({ params });
    await api.deleteOpportunity({ params: kept });
    await service.sqlWithin(
      api.caller,
      `UPDATE opportunity SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [params.id],
    );
    await service.housekeep();
    const rows = await service.sqlWithin(api.caller, 'SELECT opportunity_id::text AS id FROM stage_entry');
    expect(rows).toEqual([{ id: kept.id }]);
    expect((await api.restoreOpportunity({ params })).status).toBe(404);
  });
});

describe('unconvertOpportunity', () => {
  async function aConversion(api = service.as()) {
    const { data: lead } = await api.createLead({ body: aLead() });
    const { data: deal } = await api.convertLead({ body: { leadId: lead.id } });
    return { api, leadId: lead.id as string, params: { id: deal.id as string } };
  }

  it('deletes the deal, and lets the lead be converted again', async () => {
    const { api, leadId, params } = await aConversion();
    const { status, data } = await api.unconvertOpportunity({ params, body: { reason: 'By mistake' } });
    expect([status, data]).toEqual([
      200,
      expect.objectContaining({
        id: leadId,
        status: 'qualified',
        convertedAt: null,
        convertedOpportunityId: null,
        allowedTransitions: ['contacted', 'unqualified'],
      }),
    ]);
    expect((await api.getOpportunity({ params })).status).toBe(404);
    expect((await api.unconvertOpportunity({ params, body: {} })).body.code).toBe('opportunity_deleted');
    const events = await until('the events arrive', () => {
      const found = eventsOf(api).slice(-3);
      return found.some(({ name }) => name === 'opportunity.deleted') && found.length === 3 && found;
    });
    expect(events.map(({ name, data: payload }) => [name, payload])).toEqual([
      ['opportunity.deleted', { opportunityId: params.id, reason: 'By mistake' }],
      ['lead.updated', { leadId, changes: { convertedAt: null, convertedOpportunityId: null } }],
      ['lead.unconverted', { leadId, opportunityId: params.id, reason: 'By mistake' }],
    ]);
    expect((await api.convertLead({ body: { leadId } })).status).toBe(201);
  });

  it('is not needed once the deleted deal is removed: the lead can be converted again', async () => {
    const { api, leadId, params } = await aConversion();
    await api.deleteOpportunity({ params });
    expect((await api.convertLead({ body: { leadId } })).body.code).toBe('lead_converted');
    await service.sqlWithin(
      api.caller,
      `UPDATE opportunity SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [params.id],
    );
    await service.housekeep();
    const { status, data } = await api.convertLead({ body: { leadId } });
    expect([status, data.leadId]).toEqual([201, leadId]);
    expect((await api.getLead({ params: { id: leadId } })).data.convertedOpportunityId).toBe(data.id);
    expect((await api.unconvertOpportunity({ params: { id: data.id }, body: {} })).status).toBe(200);
  });

  it('refuses deals that are closed, were won, or are no conversion', async () => {
    const { api, params } = await aConversion();
    const code = async (id = params.id) => (await api.unconvertOpportunity({ params: { id }, body: {} })).body.code;
    await api.winOpportunity({ params, body: {} });
    expect(await code()).toBe('opportunity_closed');
    await api.reopenOpportunity({ params, body: {} });
    expect(await code()).toBe('opportunity_was_won');
    expect(await code((await aDeal({}, api)).params.id)).toBe('not_converted');
  });

  it('needs permission to change the lead', async () => {
    const { api, params } = await aConversion();
    const undo = async (...can: string[]) =>
      (await inTenant(api, { userId: 2, can }).unconvertOpportunity({ params, body: {} })).status;
    expect(await undo('opportunities:write')).toBe(403);
    expect(await undo('opportunities:write', 'leads:write:own')).toBe(404);
    expect(await undo('opportunities:write', 'leads:write')).toBe(200);
  });
});
