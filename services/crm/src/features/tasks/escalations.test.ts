import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  identity.leads.set(teams.sales, members.both);
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const late = '2020-01-01T00:00:00.000Z';
const aTask = async (api: Api, fields: object = {}) =>
  (await api.createTask({ body: { title: 'Call Ada back', ...fields } })).data;
const aRule = (api: Api, fields: object = {}) =>
  api.createEscalationRule({
    body: { name: 'Late', overdueMinutes: 60, target: { type: 'user', userId: users.active }, ...fields },
  });
const codeOf = (reply: { status: number; body: { code?: string | undefined } }) => [reply.status, reply.body.code];
const escalationsOf = async (api: Api, id: string) =>
  (await api.listTaskEscalations({ params: { id } })).data as { level: number; ruleId: string; toUserId: string }[];
const escalated = (api: Api, id: string, level = 1) =>
  until('the task is escalated', async () => {
    const found = await escalationsOf(api, id);
    return found.length >= level && found;
  });

describe('escalateTask', () => {
  it('raises the level up to five and notifies the lead of the team by default', async () => {
    const api = service.as({ userId: 8 });
    const { id } = await aTask(api, { teamId: teams.sales, assignedTo: members.seller });
    const params = { id };
    const first = await api.escalateTask({ params, body: { reason: 'Called twice' } });
    expect(first.data).toMatchObject({ escalationLevel: 1, assignedTo: members.seller, version: 2 });
    const event = await until('the event arrives', () =>
      service.events.find(({ name, tenantId }) => name === 'task.escalated' && tenantId === api.caller.tenantId),
    );
    expect(event.data).toEqual({
      ...{ taskId: id, title: 'Call Ada back', level: 1, action: 'notify', toUserId: members.both },
      ...{ ruleId: null, reason: 'Called twice' },
    });
    const replies = await Promise.all(
      [2, 3, 4, 5, 6].map(() => api.escalateTask({ params, body: { toUserId: users.active } })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 409]);
    expect(codeOf(await api.escalateTask({ params, body: {} }))).toEqual([409, 'fully_escalated']);
    const listed = await escalationsOf(api, id);
    expect(listed.map(({ level, toUserId }) => [level, toUserId])).toEqual([
      [1, members.both],
      ...[2, 3, 4, 5].map((level) => [level, users.active]),
    ]);
  });

  it('requires an active user, and an open task', async () => {
    const api = service.as();
    const { id } = await aTask(api, { teamId: teams.support });
    const params = { id };
    for (const body of [{}, { toUserId: users.suspended }, { toUserId: users.nobody }]) {
      const reply = await api.escalateTask({ params, body });
      expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'toUserId']);
    }
    await api.cancelTask({ params, body: {} });
    expect(codeOf(await api.escalateTask({ params, body: { toUserId: users.active } }))).toEqual([409, 'task_closed']);
    expect(await escalationsOf(api, id)).toEqual([]);
  });
});

describe('escalation rules', () => {
  it('are created, read, updated with If-Match, and deleted, each with its event', async () => {
    const api = service.as();
    const { data } = await aRule(api, { match: { type: 'call' }, active: false });
    expect(data).toMatchObject({
      ...{ name: 'Late', match: { type: 'call', priority: null, teamId: null }, overdueMinutes: 60, action: 'notify' },
      ...{ target: { type: 'user', userId: users.active }, workingHoursOnly: false, active: false, version: 1 },
    });
    const params = { id: data.id };
    expect((await api.getEscalationRule({ params })).data).toEqual(data);
    expect((await api.listEscalationRules()).data).toEqual([data]);
    expect(
      (await api.updateEscalationRule({ params, headers: { 'if-match': '"5"' }, body: { name: 'X' } })).status,
    ).toBe(412);
    const changed = await api.updateEscalationRule({
      params,
      body: { name: 'Later', match: { teamId: teams.sales }, target: { type: 'team_lead' } },
    });
    expect(changed.data).toMatchObject({
      name: 'Later',
      match: { type: null, teamId: teams.sales },
      target: { type: 'team_lead', userId: null },
      version: 2,
    });
    expect((await api.updateEscalationRule({ params, body: { name: 'Later' } })).data.version).toBe(2);
    expect((await api.deleteEscalationRule({ params })).data).toEqual({ id: data.id, deleted: true });
    expect((await api.getEscalationRule({ params })).status).toBe(404);
    await until('the events arrive', () => {
      const names = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId).map(({ name }) => name);
      return String(names) === 'escalation_rule.created,escalation_rule.updated,escalation_rule.deleted';
    });
  });

  it.each([
    [{ target: { type: 'user' } }, 'target.userId'],
    [{ target: { type: 'user', userId: users.suspended } }, 'target.userId'],
    [{ target: { type: 'team_lead', userId: users.active } }, 'target.userId'],
    [{ target: { type: 'team_lead' }, match: { teamId: teams.support } }, 'target.type'],
    [{ match: { teamId: '99' } }, 'match.teamId'],
    [{ match: { priority: 'asap' } }, 'match.priority'],
    [{ overdueMinutes: -1 }, 'overdueMinutes'],
    [{ action: 'shout' }, 'action'],
  ])('reject %j', async (fields, field) => {
    const reply = await aRule(service.as(), fields);
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('escalate each matching task once for each due time', async () => {
    const api = service.as();
    const match = { type: 'call', priority: 'urgent', teamId: teams.sales };
    const fields = { ...match, dueAt: late };
    const { id } = await aTask(api, fields);
    const others = [
      await aTask(api, { ...fields, type: 'email' }),
      await aTask(api, { ...fields, priority: 'low' }),
      await aTask(api, { ...fields, teamId: teams.support }),
      await aTask(api, { ...fields, dueAt: new Date(Date.now() - 60_000).toISOString() }),
      await aTask(api, { ...fields, dueAt: null }),
    ];
    const done = await aTask(api, fields);
    await api.completeTask({ params: { id: done.id }, body: {} });
    const { data: rule } = await aRule(api, { match, action: 'reassign', target: { type: 'team_lead' } });
    await escalated(api, id);
    expect((await api.getTask({ params: { id } })).data).toMatchObject({
      escalationLevel: 1,
      assignedTo: members.both,
      teamId: teams.sales,
    });
    // A new round looks at every task again, and finds only the one with a new due time.
    const again = async () => {
      await api.updateEscalationRule({ params: { id: rule.id }, body: { active: false } });
      await api.updateEscalationRule({ params: { id: rule.id }, body: { active: true } });
    };
    const next = await aTask(api, fields);
    await again();
    await escalated(api, next.id);
    expect(await escalationsOf(api, id)).toHaveLength(1);
    await api.updateTask({ params: { id }, body: { dueAt: '2021-01-01T00:00:00Z' } });
    await again();
    expect((await escalated(api, id, 2)).map(({ level, ruleId }) => [level, ruleId])).toEqual([
      [1, rule.id],
      [2, rule.id],
    ]);
    for (const other of [...others, done]) expect(await escalationsOf(api, other.id)).toEqual([]);
  });

  it('wait for the working hours of the target', async () => {
    const api = service.as();
    const { id } = await aTask(api, { dueAt: late });
    const never = [{ userId: users.active, weekly: '[]' }];
    const always = JSON.stringify(
      ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => ({
        day,
        start: '00:00',
        end: '24:00',
      })),
    );
    for (const { userId, weekly } of [...never, { userId: members.seller, weekly: always }])
      await service.sqlWithin(
        api.caller,
        `INSERT INTO user_availability (user_id, timezone, weekly, updated_at) VALUES (${userId}, 'UTC', '${weekly}', now())`,
      );
    await aRule(api, { workingHoursOnly: true });
    const { data: works } = await aRule(api, {
      workingHoursOnly: true,
      target: { type: 'user', userId: members.seller },
    });
    expect((await escalated(api, id)).map(({ ruleId }) => ruleId)).toEqual([works.id]);
  });
});
