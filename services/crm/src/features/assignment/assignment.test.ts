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
type Fields = Record<string, unknown>;
const [seller, both] = [members.seller, members.both];

const ofSales = { name: 'Sales', teamId: teams.sales, method: 'round_robin' };
async function aRule(api: Api, fields: Fields = {}) {
  const reply = await api.createAssignmentRule({ body: { ...ofSales, ...fields } });
  expect(reply.status).toBe(201);
  return reply.data;
}

const create = async (api: Api, fields: Fields = {}) => (await api.createLead({ body: aLead(fields) })).data;
const assigneeOf = async (api: Api, id: string) => (await api.getLead({ params: { id } })).data.assignedTo;
const autoAssign = (api: Api, id: string) => api.autoAssignLead({ params: { id } });
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);
const counts = (assignees: unknown[]) =>
  Object.fromEntries([...Map.groupBy(assignees, String)].map(([user, leads]) => [user, leads.length]).sort());

describe('assignLead', () => {
  it('assigns the lead, with its team, version and events, and takes it away again', async () => {
    const api = service.as();
    const { id } = await create(api);
    const params = { id };
    const reply = await api.assignLead({ params, body: { assignedTo: seller, reason: 'Speaks Portuguese' } });
    expect([reply.status, reply.data]).toMatchObject([200, { assignedTo: seller, teamId: teams.sales, version: 2 }]);
    expect((await api.assignLead({ params, body: { assignedTo: seller } })).data.version).toBe(2);
    expect((await api.assignLead({ params, body: { assignedTo: null } })).data.assignedTo).toBeNull();
    const events = await until('the events arrive', () => {
      const found = eventsOf(api, 'lead.assigned');
      return found.length === 2 && found;
    });
    expect(events.map(({ data }) => data)).toEqual([
      { leadId: id, from: null, to: seller, reason: 'Speaks Portuguese' },
      { leadId: id, from: seller, to: null, reason: null },
    ]);
    expect(eventsOf(api, 'lead.updated')).toHaveLength(2);
  });

  it('rejects inactive and unknown users, stale versions, and leads that the caller cannot change', async () => {
    const api = service.as();
    const { id } = await create(api);
    const params = { id };
    for (const assignedTo of [users.suspended, users.nobody]) {
      const reply = await api.assignLead({ params, body: { assignedTo } });
      expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, ['assignedTo']]);
    }
    const stale = { params, body: { assignedTo: seller }, headers: { 'if-match': '"7"' } };
    expect((await api.assignLead(stale)).status).toBe(412);
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: 77, can: ['leads:write:own'] });
    expect((await other.assignLead({ params, body: { assignedTo: seller } })).status).toBe(404);
    expect((await other.autoAssignLead({ params })).status).toBe(404);
    expect((await api.getLead({ params })).data.version).toBe(1);
  });

  it('is told by PATCH too', async () => {
    const api = service.as();
    const { id } = await create(api);
    await api.updateLead({ params: { id }, body: { assignedTo: seller } });
    const event = await until('the event arrives', () => eventsOf(api, 'lead.assigned')[0]);
    expect(event.data).toEqual({ leadId: id, from: null, to: seller, reason: null });
  });
});

describe('assignment rules', () => {
  it('are created, listed in their order, changed and deleted, each with its event', async () => {
    const api = service.as();
    const first = await aRule(api, { capacity: 5, userIds: [seller] });
    expect(first).toMatchObject({
      order: 0,
      match: [],
      userIds: [seller],
      capacity: 5,
      active: true,
      applyToNew: true,
    });
    const second = await aRule(api, { name: 'Second', match: [{ field: 'phone', operator: 'is_set' }] });
    expect(second).toMatchObject({ order: 1, match: [{ field: 'phone', operator: 'is_set', value: null }] });
    const params = { id: second.id };
    const { data } = await api.updateAssignmentRule({
      params,
      body: { order: 0, active: false, teamId: teams.support },
    });
    expect(data).toMatchObject({ order: 0, active: false, teamId: teams.support, version: 2 });
    expect((await api.updateAssignmentRule({ params, body: { active: false } })).data.version).toBe(2);
    const stale = { params, body: { capacity: 3 }, headers: { 'if-match': '"1"' } };
    expect((await api.updateAssignmentRule(stale)).status).toBe(412);
    expect((await api.listAssignmentRules()).data.map(({ name }: Fields) => name)).toEqual(['Sales', 'Second']);
    expect((await api.listAssignmentRules({ query: { active: 'false' } })).data).toHaveLength(1);
    expect((await api.deleteAssignmentRule({ params })).data).toEqual({ id: params.id, deleted: true });
    expect((await api.getAssignmentRule({ params })).status).toBe(404);
    expect((await service.as().getAssignmentRule({ params: { id: first.id } })).status).toBe(404);
    await until('the events arrive', () => eventsOf(api, 'assignment_rule.deleted').length === 1);
    const counted = ['created', 'updated'].map((what) => eventsOf(api, `assignment_rule.${what}`).length);
    expect(counted).toEqual([2, 1]);
  });

  it.each([
    ['nobody to assign to', { teamId: null }, 'teamId'],
    ['an unknown team', { teamId: '99' }, 'teamId'],
    ['an inactive user', { userIds: [seller, users.suspended] }, 'userIds.1'],
    ['an unknown user in weights', { method: 'weighted', weights: [{ userId: '99', weight: 2 }] }, 'weights.0.userId'],
    ['weights of another method', { weights: [{ userId: seller, weight: 2 }] }, 'weights'],
    [
      'weights of other users',
      { teamId: null, userIds: [seller], method: 'weighted', weights: [{ userId: members.both, weight: 2 }] },
      'weights',
    ],
    ['an unknown method', { method: 'random' }, 'method'],
    ['a capacity of 0', { capacity: 0 }, 'capacity'],
    ['an unknown field', { match: [{ field: 'x', operator: 'is_set' }] }, 'match.0.field'],
    ['a condition without value', { match: [{ field: 'email', operator: 'equals' }] }, 'match.0.value'],
    ['a text for the score', { match: [{ field: 'score', operator: 'at_least', value: 'x' }] }, 'match.0.value'],
  ])('reject %s, and store nothing', async (_, fields, field) => {
    const api = service.as();
    const reply = await api.createAssignmentRule({ body: { ...ofSales, ...fields } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
    expect((await api.listAssignmentRules()).data).toEqual([]);
  });
});

describe('autoAssignLead', () => {
  it('uses the first rule by order that matches and has an available user', async () => {
    const api = service.as();
    await aRule(api, {
      name: 'German',
      applyToNew: false,
      match: [
        { field: 'customFields.country', operator: 'in', value: ['DE', 'AT'] },
        { field: 'emailDomain', operator: 'not_equals', value: 'example.org' },
      ],
      userIds: [both],
      capacity: 1,
    });
    const { id } = await create(api, { customFields: { country: 'de' } });
    const reply = await autoAssign(api, (await create(api)).id);
    expect([reply.status, reply.body.code]).toEqual([409, 'no_matching_rule']);
    expect((await autoAssign(api, id)).data).toMatchObject({ assignedTo: both, teamId: teams.sales, version: 2 });
    const next = await create(api, { customFields: { country: 'DE' } });
    const full = await autoAssign(api, next.id);
    expect([full.status, full.body.code]).toEqual([409, 'nobody_available']);
    await aRule(api, { name: 'Others', teamId: null, userIds: [users.active], applyToNew: false });
    expect((await autoAssign(api, next.id)).data.assignedTo).toBe(users.active);
    const event = await until('the event arrives', () => eventsOf(api, 'lead.assigned')[1]);
    expect(event.data).toMatchObject({ to: users.active, reason: 'Assignment rule “Others”' });
    await api.changeLeadStatus({ params: { id }, body: { status: 'unqualified' } });
    const third = await create(api, { customFields: { country: 'AT' } });
    expect((await autoAssign(api, third.id)).data.assignedTo).toBe(both);
    const foreign = await create(api, { customFields: { country: 'AT' }, email: 'ada@EXAMPLE.org' });
    expect((await autoAssign(api, foreign.id)).data.assignedTo).toBe(users.active);
  });

  it('gives each user the same number of leads, also when requests run together', async () => {
    const api = service.as();
    await aRule(api, { applyToNew: false });
    const leads = await Promise.all(Array.from({ length: 12 }, () => create(api)));
    const replies = await Promise.all(leads.map(({ id }) => autoAssign(api, id)));
    expect(counts(replies.map(({ data }) => data.assignedTo))).toEqual({ [seller]: 6, [both]: 6 });
  });

  it('skips users who are inactive or on time off', async () => {
    const api = service.as();
    await aRule(api, { teamId: null, userIds: [users.active, seller, both], applyToNew: false });
    await service.sqlWithin(
      api.caller,
      `INSERT INTO time_off (user_id, from_at, to_at, updated_at)
       VALUES (${seller}, now() - interval '1 hour', now() + interval '1 day', now()),
         (${both}, now() + interval '1 day', now() + interval '2 days', now())`,
    );
    const { tenantId } = api.caller;
    const own = service.as({ tenantId: tenantId as number, userId: 77, can: ['leads:read:own', 'leads:write:own'] });
    const assignees: unknown[] = [];
    for (let lead = 0; lead < 4; lead++)
      assignees.push((await autoAssign(own, (await create(own)).id)).data.assignedTo);
    expect(counts(assignees)).toEqual({ [users.active]: 2, [both]: 2 });
  });

  it('gives leads in proportion to the weights', async () => {
    const api = service.as();
    await aRule(api, { method: 'weighted', weights: [{ userId: seller, weight: 3 }], applyToNew: false });
    const assignees: unknown[] = [];
    for (let lead = 0; lead < 8; lead++)
      assignees.push((await autoAssign(api, (await create(api)).id)).data.assignedTo);
    expect(counts(assignees)).toEqual({ [seller]: 6, [both]: 2 });
    expect(counts(assignees.slice(0, 4))).toEqual({ [seller]: 3, [both]: 1 });
  });

  it('gives leads to the user with the fewest open ones, whatever the caller may read', async () => {
    const api = service.as();
    await aRule(api, { method: 'least_busy', applyToNew: false });
    for (let lead = 0; lead < 2; lead++) await create(api, { assignedTo: seller });
    const { tenantId } = api.caller;
    const own = service.as({ tenantId: tenantId as number, userId: 77, can: ['leads:read:own', 'leads:write:own'] });
    const assignees: unknown[] = [];
    for (let lead = 0; lead < 4; lead++)
      assignees.push((await autoAssign(own, (await create(own)).id)).data.assignedTo);
    expect(assignees).toEqual([both, both, seller, both]);
  });
});

describe('a new lead', () => {
  it('is assigned by the first matching rule, unless it has an assignee', async () => {
    const api = service.as();
    await aRule(api, { match: [{ field: 'source', operator: 'equals', value: 'web' }] });
    const web = await Promise.all(Array.from({ length: 6 }, () => create(api, { source: 'web' })));
    const mine = await create(api, { source: 'web', assignedTo: users.active });
    const other = await create(api, { source: 'api' });
    const assignees = await until('the leads are assigned', async () => {
      const found = await Promise.all(web.map(({ id }) => assigneeOf(api, id)));
      return found.every(Boolean) && found;
    });
    expect(counts(assignees)).toEqual({ [seller]: 3, [both]: 3 });
    expect([await assigneeOf(api, mine.id), await assigneeOf(api, other.id)]).toEqual([users.active, null]);
    expect(eventsOf(api, 'lead.assigned').every(({ caller }) => caller.type === 'system')).toBe(true);
    expect((await api.getLead({ params: { id: web[0].id } })).data.version).toBe(2);
  });

  it('is assigned once its score was calculated, if a rule reads it', async () => {
    const api = service.as();
    const score = { name: 'Web', field: 'source', operator: 'equals', value: 'web', points: 60 };
    await api.createScoringRule({ body: score });
    await aRule(api, { match: [{ field: 'score', operator: 'at_least', value: 50 }] });
    const hot = await create(api, { source: 'web' });
    const cold = await create(api);
    await until('the lead is assigned', () => assigneeOf(api, hot.id));
    expect(await assigneeOf(api, cold.id)).toBeNull();
  });

  it('stays unassigned if nobody is available, or the rule is not for new leads or not active', async () => {
    const api = service.as();
    await aRule(api, { name: 'Manual', applyToNew: false });
    await aRule(api, { name: 'Off', active: false });
    await aRule(api, { name: 'Nobody', userIds: [users.active] });
    const lead = await create(api);
    await until('the job has ended', async () => {
      const handled = await service.sqlWithin(
        api.caller,
        `SELECT FROM platform.inbox WHERE consumer = 'assign-leads'
           AND NOT EXISTS (SELECT FROM platform.job WHERE name = 'assign-new-leads')`,
      );
      return handled.length > 0;
    });
    expect(await assigneeOf(api, lead.id)).toBeNull();
  });
});
