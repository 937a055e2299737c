import { randomUUID } from 'node:crypto';
import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { type TestService, until } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const germanRule = { name: 'German', field: 'customFields.country', operator: 'equals', value: 'DE', points: 30 };
const replyRule = { name: 'Replied', eventType: 'email_reply', points: 20 };
const german = (fields: Fields = {}) => aLead({ customFields: { country: 'de' }, ...fields });
const dayMs = 86_400_000;

/** A rule; waits for the recount that it starts. */
async function aRule(api: Api, fields: Fields) {
  const reply = await api.createScoringRule({ body: fields });
  expect(reply.status).toBe(201);
  if (reply.data.recountJobId) await recounted(api, reply.data.recountJobId);
  return reply.data;
}

const recounted = (api: Api, jobId: string) =>
  until('the recount has ended', async () => {
    const { data } = await api.getJob({ params: { id: jobId } });
    return data.status === 'completed' && data;
  });

const create = async (api: Api, fields: Fields = {}) => (await api.createLead({ body: aLead(fields) })).data;
const scoreOf = async (api: Api, id: string) => (await api.getLeadScore({ params: { id } })).data;
/** A lead whose first score was calculated. */
async function createScored(api: Api) {
  const lead = await create(api);
  await until('the lead was scored', async () => (await scoreOf(api, lead.id)).scoredAt);
  return lead;
}
const scored = (api: Api, id: string, score: number) =>
  until(`the score is ${score}`, async () => {
    const found = await scoreOf(api, id);
    return found.score === score && found;
  });
const history = async (api: Api, id: string) => (await api.listLeadScoreHistory({ params: { id } })).data as Fields[];
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

/** Publishes an engagement event as analytics does. */
async function engage(api: Api, leadId: string, fields: Fields & { id?: string } = {}) {
  const { id = randomUUID(), ...rest } = fields;
  const now = new Date().toISOString();
  const record = {
    id: '1',
    tenantId: `${api.caller.tenantId}`,
    type: 'email_reply',
    leadId,
    messageId: null,
    workflowExecutionId: null,
    timestamp: now,
    insertId: null,
    properties: {},
    automated: false,
    createdAt: now,
    ...rest,
  };
  const event = {
    id,
    name: 'engagement.recorded',
    tenantId: api.caller.tenantId,
    environment: api.caller.environment,
    occurredAt: now,
    action: 'engagement.record',
    target: { type: 'engagement_event', id: 1 },
    caller: { type: 'user', userId: 1, requestId: 'r1' },
    data: { eventId: '1', type: record.type, leadId },
    record,
  };
  await service.publish('engagement.recorded', event, id);
  return id;
}

describe('the score of a lead', () => {
  it('is calculated when it is created, with version, event, history and parts', async () => {
    const api = service.as();
    const rule = await aRule(api, germanRule);
    const bonus = await aRule(api, { name: 'Web', field: 'source', operator: 'in', value: ['web', 'api'], points: 25 });
    const penalty = await aRule(api, { name: 'No phone', field: 'phone', operator: 'is_not_set', points: -5 });
    const lead = (await api.createLead({ body: german({ source: 'web' }) })).data;
    const found = await scored(api, lead.id, 50);
    expect(found).toMatchObject({ leadId: lead.id, pinned: false, version: 2 });
    expect(found.components).toEqual([
      { group: 'fit', ruleId: rule.id, points: 30 },
      { group: 'fit', ruleId: bonus.id, points: 25 },
      { group: 'fit', ruleId: penalty.id, points: -5 },
    ]);
    expect(await history(api, lead.id)).toMatchObject([{ score: 50, delta: 50, cause: 'lead_created', ruleId: null }]);
    const event = await until('the event arrives', () => eventsOf(api, 'lead.updated')[0]);
    expect([event.data, event.changes, (event.record as Fields)['version']]).toEqual([
      { leadId: lead.id, changes: { score: 50 }, scoreCause: 'lead_created' },
      { score: { from: 0, to: 50 } },
      2,
    ]);
    const crossed = await until('the threshold is crossed', () => eventsOf(api, 'lead.score_threshold_crossed')[0]);
    expect(crossed.data).toEqual({ leadId: lead.id, threshold: 50, from: 0, to: 50 });
  });

  it('follows the fields that rules read, and is limited to 0–100', async () => {
    const api = service.as();
    const rule = await aRule(api, { ...germanRule, points: 100 });
    await aRule(api, { name: 'VIP', field: 'tags', operator: 'contains', value: 'vip', points: 10 });
    const lead = await createScored(api);
    const change = (body: Fields) => api.updateLead({ params: { id: lead.id }, body });
    await change({ customFields: { country: 'DE' }, tags: ['vip'] });
    expect((await scored(api, lead.id, 100)).components).toHaveLength(2);
    await change({ tags: [] });
    await until('the parts follow', async () => (await scoreOf(api, lead.id)).components.length === 1);
    await change({ customFields: {} });
    await scored(api, lead.id, 0);
    expect(await history(api, lead.id)).toMatchObject([
      { delta: -100, cause: 'lead_updated', ruleId: rule.id },
      { delta: 100, cause: 'lead_updated', ruleId: null },
    ]);
    const crossed = await until('the thresholds are crossed up and down', () => {
      const found = eventsOf(api, 'lead.score_threshold_crossed');
      return found.length >= 4 && found;
    });
    expect(crossed.map(({ data }) => (data as Fields)['threshold'])).toEqual([50, 80, 50, 80]);
  });

  it('rises with engagement, each event once and up to the limit of the rule, without automated events', async () => {
    const api = service.as();
    await aRule(api, { ...replyRule, maxPoints: 50 });
    const lead = await createScored(api);
    await engage(api, lead.id, { automated: true });
    const id = await engage(api, lead.id);
    await scored(api, lead.id, 20);
    await engage(api, lead.id, { id });
    await engage(api, lead.id, { type: 'page_visit' });
    await engage(api, lead.id);
    await scored(api, lead.id, 40);
    await engage(api, lead.id);
    await scored(api, lead.id, 50);
    expect((await history(api, lead.id)).map(({ cause, delta }) => [cause, delta])).toEqual([
      ['engagement', 10],
      ['engagement', 20],
      ['engagement', 20],
    ]);
    const later = await aRule(api, { name: 'Visit', eventType: 'page_visit', points: 3 });
    expect((await scored(api, lead.id, 53)).components).toContainEqual({
      group: 'engagement',
      ruleId: later.id,
      points: 3,
    });
  });

  it('records what changed it, also when its events are handled late or together', async () => {
    const api = service.as();
    const rule = await aRule(api, replyRule);
    const lead = await create(api);
    // The first score may be calculated for the lead or for the engagement, whichever is handled first.
    await engage(api, lead.id);
    await scored(api, lead.id, 20);
    expect(await history(api, lead.id)).toMatchObject([{ cause: 'engagement', delta: 20, ruleId: rule.id }]);
  });

  it('survives events that cannot be read and those of unknown leads', async () => {
    const api = service.as();
    await aRule(api, replyRule);
    const lead = await create(api);
    await service.publish('engagement.recorded', { id: 'x' }, randomUUID());
    await engage(api, '999999999');
    await engage(api, lead.id);
    await scored(api, lead.id, 20);
  });

  it('fades with the age of the events, and the daily run writes it', async () => {
    const api = service.as();
    await aRule(api, { ...replyRule, points: 40, decayDays: 20 });
    const lead = await createScored(api);
    await engage(api, lead.id, { timestamp: new Date(Date.now() - 5 * dayMs).toISOString() });
    await scored(api, lead.id, 30);
    const sql = (text: string) => service.sqlWithin(api.caller, text);
    await sql(`UPDATE lead_engagement SET day = day - 10`);
    await sql(`UPDATE platform.job SET due_at = now() WHERE name = 'decay-scores'`);
    await scored(api, lead.id, 10);
    expect((await history(api, lead.id))[0]).toMatchObject({ cause: 'decay', delta: -20 });
    const next = await until('the next run is scheduled', async () => {
      const rows = await sql(`SELECT due_at > now() AS later FROM platform.job WHERE name = 'decay-scores'`);
      return rows[0]?.['later'] && rows;
    });
    expect(next).toHaveLength(1);
  });

  it('is hidden from callers who cannot read the lead', async () => {
    const api = service.as();
    const lead = await create(api);
    const can = ['leads:read:own', 'leads:write:own'];
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: 77, can });
    const params = { id: lead.id };
    const replies = [
      await other.getLeadScore({ params }),
      await other.setLeadScore({ params, body: { score: 1 } }),
      await other.recalculateLeadScore({ params }),
      await other.listLeadScoreHistory({ params }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });
});

describe('a score set by hand', () => {
  it('is pinned until it is released', async () => {
    const api = service.as();
    await aRule(api, germanRule);
    await aRule(api, replyRule);
    const lead = (await api.createLead({ body: german() })).data;
    await scored(api, lead.id, 30);
    const params = { id: lead.id };
    const set = await api.setLeadScore({ params, body: { score: 90, reason: 'Met at the fair' } });
    expect([set.status, set.data]).toMatchObject([200, { score: 90, pinned: true, components: [], version: 3 }]);
    await engage(api, lead.id);
    await until(
      'the event is counted',
      async () => (await service.sqlWithin(api.caller, 'TABLE lead_engagement')).length > 0,
    );
    expect((await api.recalculateLeadScore({ params })).data).toMatchObject({ score: 90, pinned: true, version: 3 });
    expect((await api.getLead({ params })).data).toMatchObject({ score: 90, scorePinned: true });
    const released = await api.setLeadScore({ params, body: { pinned: false } });
    expect(released.data).toMatchObject({ score: 50, pinned: false, version: 4 });
    expect(released.data.components).toHaveLength(2);
    expect(await history(api, lead.id)).toMatchObject([
      { cause: 'recalculated', delta: -40 },
      { cause: 'manual', delta: 60, reason: 'Met at the fair', byUserId: `${api.caller.userId}` },
      { cause: 'lead_created', delta: 30 },
    ]);
    const pins = await until('the events arrive', () => {
      const found = eventsOf(api, 'lead.updated').filter(({ changes }) => 'scorePinned' in (changes as Fields));
      return found.length === 2 && found;
    });
    expect(pins.map(({ changes }) => changes?.['scorePinned']?.to)).toEqual([true, false]);
  });

  it('is pinned by PATCH and bulk changes too, with their author, unless it stays the same', async () => {
    const api = service.as();
    const lead = await create(api);
    const params = { id: lead.id };
    expect((await api.updateLead({ params, body: { score: 0 } })).data).toMatchObject({
      version: 1,
      scorePinned: false,
    });
    expect((await api.updateLead({ params, body: { score: 12 } })).data.scorePinned).toBe(true);
    const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
    const sent = [ids.encode('lead', api.caller.tenantId as number, Number(lead.id))];
    await api.bulkUpdateLeads({ body: { ids: sent, change: { score: 20 } } });
    await api.bulkUpsertLeads({ body: { key: 'email', items: [{ email: lead.email, score: 30 }] } });
    const byUserId = `${api.caller.userId}`;
    const changes = [30, 20, 12].map((score) => ({ score, cause: 'manual', byUserId }));
    expect(await history(api, lead.id)).toMatchObject(changes);
  });

  it('pins the current score without a change of it, and once when two requests race', async () => {
    const api = service.as();
    const lead = await create(api);
    const params = { id: lead.id };
    expect((await api.setLeadScore({ params, body: { pinned: true } })).data).toMatchObject({ score: 0, pinned: true });
    const set = (score: number) => api.setLeadScore({ params, body: { score }, headers: { 'if-match': '"2"' } });
    expect((await Promise.all([set(10), set(20)])).map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await history(api, lead.id)).toHaveLength(1);
  });

  it.each([
    [{ score: 101 }, 'score'],
    [{ score: -1 }, 'score'],
    [{}, 'score'],
    [{ score: 5, pinned: false }, 'pinned'],
  ])('rejects %j', async (body, field) => {
    const api = service.as();
    const lead = await create(api);
    const reply = await api.setLeadScore({ params: { id: lead.id }, body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await scoreOf(api, lead.id)).version).toBe(1);
  });

  it('stays as it is when it is recalculated without rules', async () => {
    const api = service.as();
    const lead = await create(api);
    const { data } = await api.recalculateLeadScore({ params: { id: lead.id } });
    expect(data).toMatchObject({ score: 0, pinned: false, version: 1 });
  });
});
