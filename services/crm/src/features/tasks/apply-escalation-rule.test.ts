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

const early = '2020-01-01T00:00:00.000Z';
const late = '2021-01-01T00:00:00.000Z';
const aTask = async (api: Api, fields: object = {}) =>
  (await api.createTask({ body: { title: 'Call Ada back', dueAt: late, ...fields } })).data;
const aRule = async (api: Api, fields: object = {}) =>
  (
    await api.createEscalationRule({
      body: { name: 'Late', overdueMinutes: 60, target: { type: 'user', userId: users.active }, ...fields },
    })
  ).data;
const escalationsOf = async (api: Api, id: string) => (await api.listTaskEscalations({ params: { id } })).data;
const escalated = (api: Api, id: string) =>
  until('the task is escalated', async () => (await escalationsOf(api, id)).length > 0);
const sql = (api: Api, text: string) => service.sqlWithin(api.caller, text);
const waitingRun = `name = 'apply-escalation-rule' AND state = 'waiting' AND due_at > now() + interval '10 seconds'`;
/** Waits until the rule has nothing more to do for a minute. */
const isIdle = (api: Api) =>
  until('the rule waits', async () => (await sql(api, `SELECT FROM platform.job WHERE ${waitingRun}`)).length > 0);
/** Runs the rule now. */
const runRule = async (api: Api) => {
  await isIdle(api);
  await sql(api, `UPDATE platform.job SET due_at = now() WHERE ${waitingRun}`);
  await isIdle(api);
};
const progressOf = async (api: Api) =>
  (await sql(api, 'SELECT escalated_to AS "to", version FROM escalation_rule'))[0] as { to: Date; version: number };

it('goes on after an outage of identity that outlasts all attempts of a run', async () => {
  const peer = await identityPeer();
  const ours = await startCrm({ IDENTITY_URL: peer.url });
  try {
    const api = ours.as();
    await aRule(api);
    const within = (text: string) => ours.sqlWithin(api.caller, text);
    await until(
      'the rule waits',
      async () => (await within(`SELECT FROM platform.job WHERE ${waitingRun}`)).length > 0,
    );
    await peer.close();
    await aTask(api);
    await within(`UPDATE platform.job SET attempts = 9, due_at = now() WHERE ${waitingRun}`);
    await until(
      'it is given up',
      async () => (await within(`SELECT FROM platform.job WHERE state = 'dead'`)).length > 0,
    );
    expect(await within(`SELECT attempts FROM platform.job WHERE ${waitingRun}`)).toEqual([{ attempts: 0 }]);
  } finally {
    await ours.close();
    await peer.close();
  }
});

it('does not read again what it has escalated, and finds tasks that begin to match with an older due time', async () => {
  const api = service.as();
  const first = await aTask(api);
  const completed = await aTask(api, { dueAt: early });
  await api.completeTask({ params: { id: completed.id }, body: {} });
  const deleted = await aTask(api, { dueAt: early });
  await api.deleteTask({ params: { id: deleted.id } });
  const email = await aTask(api, { dueAt: early, type: 'email' });
  const rule = await aRule(api, { match: { type: 'other' } });
  await escalated(api, first.id);
  await isIdle(api);
  const { to, version } = await progressOf(api);
  expect([Date.now() - to.getTime() < 2 * 3_600_000, version]).toEqual([true, rule.version]);
  await api.reopenTask({ params: { id: completed.id }, body: {} });
  await api.restoreTask({ params: { id: deleted.id } });
  await api.updateTask({ params: { id: email.id }, body: { type: 'other' } });
  const created = await aTask(api, { dueAt: early });
  await runRule(api);
  for (const { id } of [completed, deleted, email, created]) expect(await escalationsOf(api, id)).toHaveLength(1);
  expect(await escalationsOf(api, first.id)).toHaveLength(1);
});

it('escalates tasks that waited for the lead of their team, without holding up others', async () => {
  const api = service.as();
  const waiting = await aTask(api, { dueAt: early, teamId: teams.support });
  const ready = await aTask(api, { teamId: teams.sales });
  await aRule(api, { target: { type: 'team_lead' } });
  await escalated(api, ready.id);
  await runRule(api);
  expect(await escalationsOf(api, waiting.id)).toEqual([]);
  expect((await progressOf(api)).to.getTime()).toBeLessThan(Date.parse(early));
  // Much later, when the change of the task is no reason to look at it.
  await sql(api, `UPDATE task SET updated_at = '2020-02-01'`);
  identity.leads.set(teams.support, members.both);
  try {
    await runRule(api);
    await escalated(api, waiting.id);
    await runRule(api);
    expect((await progressOf(api)).to.getTime()).toBeGreaterThan(Date.parse(late));
  } finally {
    identity.leads.delete(teams.support);
  }
});

it('looks at all tasks again after it is changed', async () => {
  const api = service.as();
  const other = await aTask(api, { type: 'email', dueAt: early });
  const { id } = await aTask(api);
  const rule = await aRule(api, { match: { type: 'other' } });
  await escalated(api, id);
  await isIdle(api);
  await sql(api, `UPDATE task SET updated_at = '2020-02-01'`);
  await api.updateEscalationRule({ params: { id: rule.id }, body: { match: {} } });
  await runRule(api);
  expect(await escalationsOf(api, other.id)).toHaveLength(1);
});

it('escalates a backlog of more than one batch', async () => {
  const api = service.as();
  const { id } = await aTask(api, { dueAt: early });
  await sql(
    api,
    `INSERT INTO task (title, due_at, updated_at)
     SELECT 'Late', timestamptz '2021-01-01' + (n / 120) * interval '1 day', now() FROM generate_series(1, 250) AS n`,
  );
  await aRule(api);
  await escalated(api, id);
  await until('all are escalated', async () => {
    const [row] = await sql(api, 'SELECT count(*)::int AS open FROM task WHERE escalation_level <> 1');
    return row?.['open'] === 0;
  });
});
