import type { crm } from '@tandem/crm-contract';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Definition = { id: string; code: string; isDefault: boolean; version: number; pipelineId: string | null };

const all = async (api: Api, entityType: string) =>
  (await api.listStatuses({ query: { entityType, limit: '100' } })).data as Definition[];
const find = async (api: Api, code: string, entityType = 'lead') =>
  (await all(api, entityType)).find((one) => one.code === code) as Definition;
const lead = async (api: Api, fields = {}) => (await api.createLead({ body: aLead(fields) })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((one) => one.name === name && one.tenantId === api.caller.tenantId);

describe('updateStatus', () => {
  it('changes the given fields, honours If-Match, and emits one event per change', async () => {
    const api = service.as();
    const { id } = await find(api, 'contacted');
    const { data } = await api.updateStatus({ params: { id }, body: { name: 'Reached', color: 'red' } });
    expect(data).toMatchObject({ name: 'Reached', color: 'red', code: 'contacted', version: 2 });
    const again = await api.updateStatus({ params: { id }, body: { name: 'Reached' } });
    expect(again.data.version).toBe(2);
    const stale = await api.updateStatus({ params: { id }, body: { name: 'X' }, headers: { 'If-Match': '"1-x"' } });
    expect(stale.status).toBe(412);
    expect((await api.getStatus({ params: { id } })).data).toEqual(data);
    await until('the event arrives', () => eventsOf(api, 'status_definition.updated')[0]);
    expect(eventsOf(api, 'status_definition.updated')).toHaveLength(1);
  });

  it('makes another one the default, with effect for new leads', async () => {
    const api = service.as();
    const { data } = await api.createStatus({ body: { code: 'fresh', name: 'Fresh', category: 'new' } });
    await api.updateStatus({ params: { id: data.id }, body: { isDefault: true } });
    expect((await all(api, 'lead')).filter((one) => one.isDefault).map(({ code }) => code)).toEqual(['fresh']);
    expect(await lead(api)).toMatchObject({ status: 'new', statusCode: 'fresh' });
    const off = await api.updateStatus({ params: { id: data.id }, body: { isDefault: false } });
    expect([off.status, off.body.errors?.[0]?.field]).toEqual([422, 'isDefault']);
  });

  it('changes the category of a lead status only while no lead has it', async () => {
    const api = service.as();
    const { data } = await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    const params = { id: data.id };
    expect((await api.updateStatus({ params, body: { category: 'new' } })).data.category).toBe('new');
    await lead(api, { statusCode: 'nurturing' });
    const used = await api.updateStatus({ params, body: { category: 'contacted' } });
    expect([used.status, used.body.code]).toEqual([409, 'status_in_use']);
  });

  it('refuses a closed default and fields of the other kind', async () => {
    const api = service.as();
    const won = await find(api, 'won', 'opportunity');
    const first = await find(api, 'new');
    const reply = async (id: string, body: object) => (await api.updateStatus({ params: { id }, body })).status;
    expect(await reply(won.id, { isDefault: true })).toBe(422);
    expect(await reply(won.id, { category: 'new' })).toBe(422);
    expect(await reply(first.id, { defaultProbability: 5 })).toBe(422);
    expect(await reply(first.id, { category: 'contacted' })).toBe(409);
  });

  it('names the remedy for isClosed and isWon, which never change', async () => {
    const api = service.as();
    const { id } = await find(api, 'proposal', 'opportunity');
    const change = async (body: object) => api.updateStatus({ params: { id }, body });
    const refused = await change({ isClosed: true, isWon: true });
    const message = 'Never changes; create another stage, and delete this one with replaceWithId';
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      ['isClosed', 'isWon'].map((field) => ({ field, message })),
    ]);
    expect((await change({ isClosed: false, isWon: false, name: 'Offer' })).data).toMatchObject({ name: 'Offer' });
  });
});

describe('orderStatuses', () => {
  it('sets the order of a complete set only', async () => {
    const api = service.as();
    const ids = (await all(api, 'lead')).map(({ id }) => id).reverse();
    const { data } = await api.orderStatuses({ body: { ids } });
    expect(data.statuses.map((one: Definition) => one.id)).toEqual(ids);
    expect((await all(api, 'lead')).map(({ id }) => id)).toEqual(ids);
    const partial = await api.orderStatuses({ body: { ids: ids.slice(1) } });
    expect([partial.status, partial.body.errors?.[0]?.field]).toEqual([422, 'ids']);
    const stage = await find(api, 'won', 'opportunity');
    expect((await api.orderStatuses({ body: { ids: [...ids.slice(1), stage.id] } })).status).toBe(422);
    const foreign = await find(service.as(), 'new');
    const unknown = await api.orderStatuses({ body: { ids: [...ids.slice(0, 3), foreign.id] } });
    expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'ids.3']);
  });
});

describe('bulkCreateStatuses', () => {
  const statuses = [
    { code: 'incoming', name: 'Incoming', description: '', color: 'blue', sortOrder: 0, isDefault: true },
    { code: 'sales_ready', name: 'Ready', description: '', color: 'green', sortOrder: 1, isDefault: false },
  ];

  it('creates a generated set at once, whose default new leads get', async () => {
    const api = service.as();
    const { status, data } = await api.bulkCreateStatuses({ body: { statuses } });
    expect([status, data.statuses.map((one: Definition) => one.code)]).toEqual([201, ['incoming', 'sales_ready']]);
    expect(await lead(api)).toMatchObject({ status: 'new', statusCode: 'incoming' });
  });

  it('creates none when one is refused', async () => {
    const api = service.as();
    const taken = await api.bulkCreateStatuses({ body: { statuses: [...statuses, { code: 'new', name: 'New' }] } });
    expect([taken.status, taken.body.code, taken.body.errors?.[0]?.field]).toEqual([
      409,
      'code_taken',
      'statuses.2.code',
    ]);
    const two = await api.bulkCreateStatuses({
      body: { statuses: statuses.map((one) => ({ ...one, isDefault: true })) },
    });
    expect([two.status, two.body.errors?.[0]?.field]).toEqual([422, 'statuses.1.isDefault']);
    const many = Array.from({ length: 97 }, (_, n) => ({ code: `code_${n}`, name: 'Many' }));
    expect((await api.bulkCreateStatuses({ body: { statuses: many } })).body.code).toBe('too_many_statuses');
    expect(await all(api, 'lead')).toHaveLength(4);
  });
});

describe('deleteStatus', () => {
  it('deletes an unused one, with its event', async () => {
    const api = service.as();
    const { data } = await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    const reply = await api.deleteStatus({ params: { id: data.id } });
    expect(reply.data).toEqual({ id: data.id, deleted: true });
    expect((await api.getStatus({ params: { id: data.id } })).status).toBe(404);
    const event = await until('the event arrives', () => eventsOf(api, 'status_definition.deleted')[0]);
    expect(event.data).toMatchObject({ code: 'nurturing' });
  });

  it.each([
    ['new', 'lead'],
    ['qualified', 'lead'],
    ['won', 'opportunity'],
    ['lost', 'opportunity'],
    ['prospecting', 'opportunity'],
  ])('keeps %s, which is the default or the last of its kind', async (code, entityType) => {
    const api = service.as();
    const reply = await api.deleteStatus({ params: { id: (await find(api, code, entityType)).id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'last_of_kind']);
  });

  it('keeps one of the last two open stages when both are deleted at once', async () => {
    const api = service.as();
    const stages = await all(api, 'opportunity');
    for (const code of ['qualification', 'proposal', 'negotiation'])
      await api.deleteStatus({ params: { id: stages.find((one) => one.code === code)?.id as string } });
    const body = { entityType: 'opportunity', code: 'second_won', name: 'W', isClosed: true, isWon: true };
    const { data } = await api.createStatus({ body });
    const won = stages.find((one) => one.code === 'won') as Definition;
    const replies = await Promise.all([won, data].map(({ id }) => api.deleteStatus({ params: { id } })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('moves its leads to the replacement, with their events, and refuses without one', async () => {
    const api = service.as();
    const { data: old } = await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    const one = await lead(api, { statusCode: 'nurturing' });
    const refused = await api.deleteStatus({ params: { id: old.id } });
    expect([refused.status, refused.body.code, refused.body.errors?.[0]?.field]).toEqual([
      409,
      'status_in_use',
      'replaceWithId',
    ]);
    const back = await find(api, 'new');
    expect((await api.deleteStatus({ params: { id: old.id }, query: { replaceWithId: back.id } })).status).toBe(422);
    const replacement = await find(api, 'qualified');
    const reply = await api.deleteStatus({ params: { id: old.id }, query: { replaceWithId: replacement.id } });
    expect(reply.status).toBe(200);
    expect((await api.getLead({ params: { id: one.id } })).data).toMatchObject({
      status: 'qualified',
      statusCode: 'qualified',
      version: 2,
    });
    const event = await until('the event arrives', () => eventsOf(api, 'lead.status_changed')[0]);
    expect(event.data).toMatchObject({
      from: 'contacted',
      to: 'qualified',
      fromCode: 'nurturing',
      toCode: 'qualified',
    });
  });

  it('moves deals to another open stage of the pipeline', async () => {
    const api = service.as();
    const { id: leadId } = await lead(api);
    const stageId = (await find(api, 'proposal', 'opportunity')).id;
    const { data: deal } = await api.convertLead({ body: { leadId, currency: 'EUR', stageId } });
    const replaced = async (code: string) =>
      api.deleteStatus({
        params: { id: stageId },
        query: { replaceWithId: (await find(api, code, 'opportunity')).id },
      });
    expect((await replaced('won')).status).toBe(422);
    expect((await replaced('negotiation')).status).toBe(200);
    expect((await api.getOpportunity({ params: { id: deal.id } })).data).toMatchObject({
      stage: 'negotiation',
      probability: 75,
      version: 2,
    });
  });

  it('moves deals as a move does: with history and event, and keeps probabilities that users set', async () => {
    const api = service.as();
    const stage = await find(api, 'proposal', 'opportunity');
    const open = async (fields: object) =>
      (await api.createOpportunity({ body: { name: 'Rollout', stageId: stage.id, currency: 'EUR', ...fields } })).data;
    const [follows, chosen, removed] = [await open({}), await open({ probability: 35 }), await open({})];
    await api.deleteOpportunity({ params: { id: removed.id } });
    const params = { id: stage.pipelineId as string };
    const rules = { requiredFields: { proposal: ['value'], negotiation: ['ownerId'] } };
    await api.setPipelineRules({ params, body: rules });
    const { id: replaceWithId } = await find(api, 'negotiation', 'opportunity');
    expect((await api.deleteStatus({ params: { id: stage.id }, query: { replaceWithId } })).status).toBe(200);
    const read = async ({ id }: { id: string }) => (await api.getOpportunity({ params: { id } })).data;
    expect([(await read(follows)).probability, (await read(chosen)).probability]).toEqual([75, 35]);
    const history = await api.listStageHistory({ params: { id: chosen.id }, query: { sort: 'enteredAt' } });
    expect(history.data).toMatchObject([
      { stage: 'proposal', leftAt: expect.any(String) },
      { stage: 'negotiation', leftAt: null, byUserId: '1', reason: 'The stage Proposal was deleted' },
    ]);
    expect((await api.getPipeline({ params })).data.rules.requiredFields).toEqual({ negotiation: ['ownerId'] });
    const moved = await until('the events arrive', () => {
      const found = eventsOf(api, 'opportunity.stage_changed');
      return found.length === 2 && found;
    });
    expect(moved[0]?.data).toMatchObject({ from: 'proposal', to: 'negotiation' });
    await until('the event of the rules arrives', () => eventsOf(api, 'pipeline.updated').length === 2);
  });

  it('moves more than 250 leads by a job, then deletes the status', async () => {
    const api = service.as();
    const { data: old } = await api.createStatus({ body: { code: 'nurturing', name: 'Nurturing' } });
    for (let sent = 0; sent < 260; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => lead(api, { statusCode: 'nurturing' })));
    const replaceWithId = (await find(api, 'contacted')).id;
    const started = await api.deleteStatus({ params: { id: old.id }, query: { replaceWithId } });
    expect(started.status).toBe(202);
    const job = await until('the job completes', async () => {
      const { data } = await api.getJob({ params: { id: started.data.jobId } });
      return data.status === 'completed' ? data : undefined;
    });
    expect([job.progress, job.result]).toEqual([
      { done: 260, total: 260 },
      { moved: 260, deleted: true },
    ]);
    expect((await api.listLeads({ query: { statusCode: 'contacted' } })).body.pagination?.total).toBe(260);
    expect((await api.getStatus({ params: { id: old.id } })).status).toBe(404);
  });
});
