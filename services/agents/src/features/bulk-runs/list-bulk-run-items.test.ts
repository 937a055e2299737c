import { aPerson, publish, publishLeadMerge, until } from '@tandem/testing';
import { type Agents, type Api, aCaller, agentOf, codeOf, eventOf, startAgents } from '../../agents.test-service.ts';

let service: Agents;
beforeAll(async () => {
  service = await startAgents();
});
afterAll(() => service?.close());

const later = { scheduledFor: new Date(Date.now() + 86_400_000).toISOString() };
const denied = { phone: { state: 'denied' as const, at: '2026-01-01T00:00:00.000Z', source: null } };

interface Item {
  id: string | null;
  leadId: string | null;
  requestedLeadId: string | null;
  status: string;
  error: { code: string; message: string; retryable: boolean } | null;
}

/** A run of the caller with two executions, and leads that are rejected for every reason but the limit. */
async function aMixedRun(api: Api) {
  const agentId = await aCaller(api);
  const [first, second, refusing, busy] = [
    service.aLead(),
    service.aLead(),
    service.aLead({ consent: denied }),
    service.aLead(),
  ];
  await api.runAgent({ params: { id: agentId }, body: { leadId: String(busy), ...later } });
  const code = (id: number) => codeOf(api, id);
  const leadIds = [code(first), 'nonsense', code(refusing), code(888_888), 'ada@example.com', code(busy), code(second)];
  const { data } = await api.runAgentInBulk({
    params: { id: agentId },
    body: { leadIds: [...leadIds, code(first)], ...later },
  });
  return { agentId, bulkRunId: data.bulkRunId as string, data, leadIds, first, second, refusing, busy };
}

const items = async (api: Api, id: string, query: Record<string, string> = {}) => {
  const { status, data, body } = await api.listBulkRunItems({ params: { id }, query });
  expect(status).toBe(200);
  return { items: data as Item[], pagination: (body as unknown as { pagination: Record<string, unknown> }).pagination };
};

describe('listBulkRunItems', () => {
  it('shows each rejected lead with its reason, beside the executions', async () => {
    const api = service.as();
    const { bulkRunId, data, leadIds, first, second, refusing, busy, agentId } = await aMixedRun(api);
    expect([data.accepted, data.rejected]).toEqual([2, 6]);
    const { items: all, pagination } = await items(api, bulkRunId, { sort: 'createdAt' });
    expect(pagination).toMatchObject({ total: 8 });
    expect(all.map(({ status, leadId }) => [status, leadId])).toEqual([
      ['queued', String(first)],
      ['queued', String(second)],
      ['rejected', null],
      ['rejected', String(refusing)],
      ['rejected', null],
      ['rejected', null],
      ['rejected', String(busy)],
      ['rejected', String(first)],
    ]);
    const rejected = all.filter(({ status }) => status === 'rejected');
    expect(rejected.map(({ id, requestedLeadId, error }) => [id, requestedLeadId, error?.code])).toEqual([
      [null, 'nonsense', 'lead_not_found'],
      [null, leadIds[2], 'do_not_contact'],
      [null, leadIds[3], 'lead_not_found'],
      // It may be data of a person.
      [null, null, 'lead_not_found'],
      [null, leadIds[5], 'already_running'],
      [null, leadIds[0], 'duplicate_in_request'],
    ]);
    expect(rejected[1]).toMatchObject({
      ...{ agentId, bulkRunId, kind: 'caller', trigger: 'bulk', attempt: 0, steps: [], actingUserId: '1' },
      error: { code: 'do_not_contact', message: 'The lead has refused to be called', retryable: false },
    });
    expect((await service.sqlWithin(api.caller, `SELECT * FROM bulk_run_rejection`)).length).toBe(6);
    // A list of executions has none of them.
    expect((await api.listExecutions({ query: { bulkRunId } })).data).toHaveLength(2);
  });

  it('counts rejected leads by reason, also in the event of the end', async () => {
    const api = service.as();
    const { bulkRunId } = await aMixedRun(api);
    const { data } = await api.getBulkRun({ params: { id: bulkRunId } });
    expect([data.rejected, data.rejections]).toEqual([
      6,
      [
        {
          code: 'already_running',
          message: 'An execution of the agent for this lead is already in progress',
          leads: 1,
        },
        { code: 'do_not_contact', message: 'The lead has refused to be called', leads: 1 },
        { code: 'duplicate_in_request', message: 'The request contains this lead twice', leads: 1 },
        { code: 'lead_not_found', message: 'No lead with this id', leads: 3 },
      ],
    ]);
    await api.cancelBulkRun({ params: { id: bulkRunId }, body: {} });
    const { record } = await eventOf(service, api, 'agent.bulk_run_completed');
    expect((record as { rejections: object[] }).rejections).toEqual(data.rejections);
  });

  it('counts those beyond the daily limit, and those of a run without executions', async () => {
    const api = service.as();
    const params = { id: await agentOf(api, 'recommender') };
    await api.updateAgent({ params, body: { limits: { dailyCap: 1 } } });
    const leadIds = [service.aLead(), service.aLead()].map((id) => codeOf(api, id));
    const { data: run } = await api.runAgentInBulk({ params, body: { leadIds, ...later } });
    const [last] = (await items(api, run.bulkRunId, { status: 'rejected' })).items;
    expect(last).toMatchObject({ requestedLeadId: leadIds[1], error: { code: 'limit_reached', retryable: true } });
    const { data: none } = await api.runAgentInBulk({ params, body: { leadIds: ['nonsense'], ...later } });
    expect((await items(api, none.bulkRunId)).items).toMatchObject([{ status: 'rejected' }]);
    const { record } = await eventOf(service, api, 'agent.bulk_run_completed');
    expect(record).toMatchObject({ rejections: [{ code: 'lead_not_found', leads: 1 }] });
  });

  it.each(['createdAt', '-createdAt'])(
    'has pages with every item once, sorted by %s, by number and by cursor',
    async (sort) => {
      const api = service.as();
      const { bulkRunId } = await aMixedRun(api);
      const { items: all } = await items(api, bulkRunId, { sort });
      for (const limit of ['1', '3', '5']) {
        const byNumber: Item[] = [];
        const byCursor: Item[] = [];
        for (let page = 1; byNumber.length < all.length; page++) {
          const { items: found, pagination } = await items(api, bulkRunId, { sort, limit, page: String(page) });
          expect([found.length > 0, pagination['total']]).toEqual([true, 8]);
          byNumber.push(...found);
        }
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { items: found, pagination } = await items(api, bulkRunId, { sort, limit, ...(cursor && { cursor }) });
          byCursor.push(...found);
          cursor = pagination['nextCursor'] as string | null;
        }
        expect([byNumber, byCursor]).toEqual([all, all]);
      }
    },
  );

  it('filters by status and lead', async () => {
    const api = service.as();
    const { bulkRunId, first, refusing } = await aMixedRun(api);
    const statuses = async (query: Record<string, string>) => {
      const { items: found, pagination } = await items(api, bulkRunId, query);
      expect(pagination['total']).toBe(found.length);
      return found.map(({ status }) => status);
    };
    expect(await statuses({ status: 'rejected' })).toEqual(Array(6).fill('rejected'));
    expect(await statuses({ status: 'queued' })).toEqual(['queued', 'queued']);
    expect(await statuses({ status: 'failed' })).toEqual([]);
    expect((await statuses({ leadId: String(first) })).sort()).toEqual(['queued', 'rejected']);
    expect(await statuses({ leadId: String(refusing), status: 'rejected' })).toEqual(['rejected']);
    const { status } = await api.listBulkRunItems({ params: { id: bulkRunId }, query: { status: 'refused' } });
    expect(status).toBe(422);
  });

  it('shows narrowed callers what they may read, and the ids that they have named', async () => {
    const owner = service.as();
    const tenantId = owner.caller.tenantId as number;
    const agentId = await aCaller(owner);
    const seller = service.as({ tenantId, userId: 8, can: ['agents:read', 'agents:write', 'leads:read:own'] });
    const [mine, refusing, foreign] = [
      service.aLead({ assignedTo: '8' }),
      service.aLead({ assignedTo: '8', consent: denied }),
      service.aLead({ assignedTo: '9' }),
    ];
    const leadIds = [mine, refusing, foreign].map((id) => codeOf(owner, id));
    const { data } = await seller.runAgentInBulk({ params: { id: agentId }, body: { leadIds, ...later } });
    const codes = async (by: Api) =>
      (await items(by, data.bulkRunId, { sort: 'createdAt' })).items.map(({ leadId, error }) => [leadId, error?.code]);
    expect(await codes(seller)).toEqual([
      [String(mine), undefined],
      [String(refusing), 'do_not_contact'],
      [null, 'lead_not_found'],
    ]);
    const lead = service.known.leads.get(refusing);
    if (lead) service.known.leads.set(refusing, { ...lead, assignedTo: '9' });
    expect(await codes(seller)).toEqual([
      [String(mine), undefined],
      [null, 'lead_not_found'],
    ]);
    expect((await items(seller, data.bulkRunId, { leadId: String(foreign) })).items).toEqual([]);
    expect(await codes(owner)).toHaveLength(3);
  });
});

describe('a rejected lead', () => {
  it('that is merged is listed as the survivor, and back', async () => {
    const api = service.as();
    const { bulkRunId, refusing } = await aMixedRun(api);
    const survivor = service.aLead();
    const told = { service, tenantId: api.caller.tenantId as number };
    const count = async (leadId: number) => (await items(api, bulkRunId, { leadId: String(leadId) })).items.length;
    await publishLeadMerge(told, { leadId: `${refusing}`, into: `${survivor}`, version: 2 });
    await until('it follows', async () => (await count(survivor)) === 1 && (await count(refusing)) === 0);
    await publishLeadMerge(told, { leadId: `${refusing}`, from: `${survivor}`, version: 3 });
    await until('it is back', async () => (await count(survivor)) === 0 && (await count(refusing)) === 1);
  });

  it('is in the export of the person, and when it is erased in no run any more', async () => {
    const api = service.as();
    const { bulkRunId, refusing } = await aMixedRun(api);
    const person = aPerson({ leadIds: [refusing] });
    const tenantId = api.caller.tenantId as number;
    const system = service.as({ type: 'system', tenantId });
    const exported = (await system.exportPerson({ body: { person } })).data;
    const section = exported.sections.find(({ name }: { name: string }) => name === 'bulkRunRejections');
    expect(section).toMatchObject({ total: 1, records: [{ bulkRunId, code: 'do_not_contact' }] });
    const data = { person, services: ['agents'] };
    const event = { target: { type: 'erasure', id: 1 }, data, record: { id: '1' } };
    await publish({ service, tenantId }, 'personal_data.erasure_requested', event);
    await until('it is erased', async () => (await items(api, bulkRunId)).items.length === 7);
    const { data: run } = await api.getBulkRun({ params: { id: bulkRunId } });
    expect([run.rejected, run.rejections.map(({ code }: { code: string }) => code)]).toEqual([
      6,
      ['already_running', 'duplicate_in_request', 'lead_not_found'],
    ]);
  });
});
