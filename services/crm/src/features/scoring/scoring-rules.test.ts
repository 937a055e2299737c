import type { crm } from '@tandem/crm-contract';
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

const scoreOf = async (api: Api, id: string) => (await api.getLeadScore({ params: { id } })).data;
const history = async (api: Api, id: string) => (await api.listLeadScoreHistory({ params: { id } })).data as Fields[];
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);

describe('scoring rules', () => {
  it('are created, listed, changed and deleted, each with its event', async () => {
    const api = service.as();
    const created = await api.createScoringRule({ body: { ...replyRule, maxPoints: 40, decayDays: 30 } });
    expect([created.status, created.data]).toMatchObject([
      201,
      {
        group: 'engagement',
        eventType: 'email_reply',
        points: 20,
        maxPoints: 40,
        decayDays: 30,
        field: null,
        active: true,
      },
    ]);
    const params = { id: created.data.id };
    await aRule(api, germanRule);
    expect((await api.listScoringRules({ query: { group: 'fit' } })).data).toMatchObject([{ name: 'German' }]);
    expect((await api.listScoringRules({ query: { active: 'false' } })).data).toEqual([]);
    const renamed = await api.updateScoringRule({ params, body: { name: 'Answered' } });
    expect([renamed.data.name, renamed.data.version, renamed.data.recountJobId]).toEqual(['Answered', 2, null]);
    const same = await api.updateScoringRule({ params, body: { name: 'Answered' } });
    expect(same.data.version).toBe(2);
    const stale = await api.updateScoringRule({ params, body: { points: 5 }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    expect((await api.getScoringRule({ params })).data.points).toBe(20);
    const deleted = await api.deleteScoringRule({ params });
    expect(deleted.data).toMatchObject({ id: params.id, deleted: true, recountJobId: expect.any(String) });
    expect((await api.getScoringRule({ params })).status).toBe(404);
    await until('the events arrive', () => eventsOf(api, 'scoring_rule.deleted').length === 1);
    expect([eventsOf(api, 'scoring_rule.created').length, eventsOf(api, 'scoring_rule.updated').length]).toEqual([
      2, 1,
    ]);
  });

  it('are separate in each environment and tenant', async () => {
    const api = service.as();
    const rule = await aRule(api, germanRule);
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    expect((await sandbox.listScoringRules()).data).toEqual([]);
    expect((await sandbox.getScoringRule({ params: { id: rule.id } })).status).toBe(404);
    expect((await service.as().deleteScoringRule({ params: { id: rule.id } })).status).toBe(404);
  });

  it.each([
    ['neither field nor event', { name: 'X', points: 1 }, 'field'],
    ['field and event', { ...germanRule, eventType: 'link_click' }, 'field'],
    ['a field without operator', { ...germanRule, operator: null }, 'operator'],
    ['an unknown field', { ...germanRule, field: 'password' }, 'field'],
    ['the score itself', { ...germanRule, field: 'score', value: 5 }, 'field'],
    ['no value', { ...germanRule, value: null }, 'value'],
    ['a single value for in', { ...germanRule, operator: 'in' }, 'value'],
    ['a status that does not exist', { ...germanRule, field: 'status', value: 'won' }, 'value'],
    ['an unknown event', { ...replyRule, eventType: 'purchase' }, 'eventType'],
    ['an event with a value', { ...replyRule, value: 'x' }, 'value'],
    ['an event in the group fit', { ...replyRule, group: 'fit' }, 'group'],
    ['a limit below one event', { ...replyRule, maxPoints: 10 }, 'maxPoints'],
    ['a limit of a field rule', { ...germanRule, maxPoints: 50 }, 'maxPoints'],
    ['decay of a field rule', { ...germanRule, decayDays: 5 }, 'decayDays'],
    ['too many points', { ...replyRule, points: 101 }, 'points'],
    ['no points', { ...replyRule, points: 0 }, 'points'],
    ['a decay over a year', { ...replyRule, decayDays: 366 }, 'decayDays'],
  ])('reject %s, and store nothing', async (_, body, field) => {
    const api = service.as();
    const reply = await api.createScoringRule({ body });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await api.listScoringRules()).data).toEqual([]);
  });

  it('accept at most 100, even with concurrent requests', async () => {
    const api = service.as();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO scoring_rule (name, "group", field, operator, points)
       SELECT 'Rule', 'fit', 'phone', 'is_set', 1 FROM generate_series(1, 98)`,
    );
    const replies = await Promise.all(Array.from({ length: 4 }, () => api.createScoringRule({ body: replyRule })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  });
});

describe('a change of rules', () => {
  it('recalculates all leads in a background job, except those with a pinned score', async () => {
    const api = service.as();
    const [one, pinned, byHand] = [
      (await api.createLead({ body: german() })).data,
      (await api.createLead({ body: german({ score: 7 }) })).data,
      (await api.createLead({ body: german() })).data,
    ];
    await api.setLeadScore({ params: { id: byHand.id }, body: { score: 0 } });
    // Otherwise their events may come after the rule, and the leads are scored before the recount reads them.
    await until('the events of the leads are handled', async () => {
      const handled = `SELECT FROM platform.inbox WHERE consumer LIKE '%score-leads%'`;
      return (await service.sqlWithin(api.caller, handled)).length >= 3;
    });
    const { data: rule } = await api.createScoringRule({ body: germanRule });
    const job = await recounted(api, rule.recountJobId);
    expect(job).toMatchObject({
      kind: 'score_recount',
      progress: { done: 3, total: 3 },
      result: { leads: 3, changed: 1 },
    });
    const scores = async () => [
      await scoreOf(api, one.id),
      await scoreOf(api, pinned.id),
      await scoreOf(api, byHand.id),
    ];
    expect((await scores()).map(({ score, pinned: isPinned }) => [score, isPinned])).toEqual([
      [30, false],
      [7, true],
      [0, true],
    ]);
    expect((await history(api, one.id))[0]).toMatchObject({ cause: 'rules_changed', ruleId: rule.id });
    const { data: changed } = await api.updateScoringRule({ params: { id: rule.id }, body: { points: 45 } });
    await recounted(api, changed.recountJobId);
    expect((await scoreOf(api, one.id)).score).toBe(45);
  });

  it('keeps scores when no active rule is left', async () => {
    const api = service.as();
    const lead = (await api.createLead({ body: german() })).data;
    const rule = await aRule(api, germanRule);
    const { data: off } = await api.updateScoringRule({ params: { id: rule.id }, body: { active: false } });
    await recounted(api, off.recountJobId);
    expect((await scoreOf(api, lead.id)).score).toBe(30);
    const { data: gone } = await api.deleteScoringRule({ params: { id: rule.id } });
    expect(gone.recountJobId).toBeNull();
  });

  it('restarts a recount that has not ended, so that concurrent changes end in the scores of the last rules', async () => {
    const api = service.as();
    await service.sqlWithin(
      api.caller,
      `INSERT INTO lead (email, first_name, last_name, phone, updated_at)
       SELECT 'lead.' || n || '@example.com', 'Grace', 'Hopper', '+49170' || n, now() FROM generate_series(1000, 2200) n`,
    );
    const body = { name: 'Phone', field: 'phone', operator: 'is_set', points: 10 };
    const replies = await Promise.all(Array.from({ length: 4 }, () => api.createScoringRule({ body })));
    for (const { data } of replies) await recounted(api, data.recountJobId);
    const query = { scoreMin: '40', scoreMax: '40', limit: '1' };
    expect((await api.listLeads({ query })).body.pagination?.total).toBe(1201);
  });
});
