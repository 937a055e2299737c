import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, members, until, users } from '@tandem/testing';
import { type Analytics, publicUrl, startAnalytics } from '../../analytics.test-service.ts';
import { aReport, download, reportLeads, runReaches } from './reports.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: Analytics;
let other: Analytics;
beforeAll(async () => {
  [identity, mailbox] = await Promise.all([identityPeer(), startMailbox()]);
  const settings = { IDENTITY_URL: identity.url, SMTP_URL: mailbox.smtpUrl };
  let shared: Parameters<typeof startAnalytics>[1] = {};
  service = await startAnalytics(settings, { onSettings: (of) => (shared = { shared: of }) });
  // Two instances, so that each run may begin in both.
  other = await startAnalytics(settings, shared);
});
afterAll(async () => {
  await other?.close();
  await service?.close();
  await identity?.close();
  await mailbox?.close();
});

type Api = ReturnType<typeof service.as>;
const userId = Number(users.active);
const addressOf = (id: string) => `user${id}@identity.example`;
const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };
let people = 0;
const anAddress = () => `person${++people}@example.com`;

async function aSchedule(api: Api, id: string, body: object = {}) {
  const fields = {
    frequency: 'daily',
    timezone: 'Europe/Berlin',
    format: 'csv',
    recipients: { emails: [anAddress()] },
  };
  const reply = await api.createReportSchedule({ params: { id }, body: { ...fields, ...body } });
  expect([reply.status, reply.body.errors]).toEqual([201, undefined]);
  return reply.data;
}

/** Lets the next time of the schedules of a tenant come. */
const letTimeCome = (api: Api) =>
  service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'start-scheduled-report'`);

async function runOf(api: Api, id: string, status: string) {
  const runId = await until('the run begins', async () => (await api.listReportRuns({ params: { id } })).data[0]?.id);
  return runReaches(api, { id, runId }, status);
}

const scheduleOf = async (api: Api, id: string) => (await api.listReportSchedules({ params: { id } })).data[0];
const mailTo = (address: string) => until(`${address} gets a message`, () => mailbox.to(address)[0]);
const linkIn = (text: string) => /https:\S+/.exec(text)?.[0] as string;

it('is not made by an API key that cannot read all that the runs of its user would', async () => {
  const owner = service.as({ userId });
  const { tenantId } = owner.caller;
  const id = await aReport(owner, { type: 'leads', query: {} });
  const schedule = await aSchedule(owner, id);
  const body = { frequency: 'daily', timezone: 'UTC', format: 'csv', recipients: { emails: [anAddress()] } };
  for (const can of [['leads:read:own'], ['leads:read:team'], []]) {
    const key = service.as({
      tenantId: tenantId as number,
      type: 'key',
      userId,
      can: ['analytics:read', 'analytics:write', ...can],
    });
    const refused = [
      await key.createReportSchedule({ params: { id }, body }),
      await key.updateReportSchedule({
        params: { id, scheduleId: schedule.id },
        body: { recipients: body.recipients },
      }),
      await key.updateReport({ params: { id }, body: { query: { filters: { status: 'new' } } } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  }
  const able = service.as({
    tenantId: tenantId as number,
    type: 'key',
    userId,
    can: ['analytics:read', 'analytics:write', 'leads:read'],
  });
  expect((await able.createReportSchedule({ params: { id }, body })).status).toBe(201);
});

it('runs once at each of its times, also with two instances and a repeated job, and sends links to all recipients', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  const id = await aReport(api, { name: 'Leads of March', query: march });
  const address = anAddress();
  const { nextRunAt } = await aSchedule(api, id, { recipients: { userIds: [members.seller], emails: [address] } });
  await service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, payload, due_at)
     SELECT name, payload, due_at FROM platform.job, generate_series(1, 5) WHERE name = 'start-scheduled-report'`,
  );
  await letTimeCome(api);
  const run = await runOf(api, id, 'completed');
  expect(run).toMatchObject({ scheduledFor: nextRunAt, createdBy: users.active, error: null });
  const [mail, ofUser] = [await mailTo(address), await mailTo(addressOf(members.seller))];
  expect([mail.subject, linkIn(mail.text).startsWith(publicUrl)]).toEqual(['Leads of March', true]);
  const { text } = await download(service, linkIn(mail.text));
  expect(text).toContain('leads,new,,2,');
  expect((await download(service, linkIn(ofUser.text))).text).toBe(text);
  await until('no job is left but that of the next time', async () => {
    const jobs = await service.sqlWithin(
      api.caller,
      `SELECT 1 FROM platform.job WHERE name = 'start-scheduled-report'`,
    );
    return jobs.length === 1;
  });
  expect((await api.listReportRuns({ params: { id } })).data).toHaveLength(1);
  expect(mailbox.to(address)).toHaveLength(1);
  const after = await scheduleOf(api, id);
  expect(after).toMatchObject({ lastStatus: 'completed', lastError: null, active: true });
  expect(new Date(after.nextRunAt).getTime()).toBeGreaterThan(new Date(nextRunAt).getTime());
});

it('says that there are no rows, without a file', async () => {
  const api = service.as({ userId });
  const id = await aReport(api, { name: 'Nothing', type: 'funnel', query: march });
  const { recipients } = await aSchedule(api, id, { format: 'pdf' });
  await letTimeCome(api);
  expect(await runOf(api, id, 'completed')).toMatchObject({ rowCount: 0 });
  const mail = await mailTo(recipients.emails[0]);
  expect([mail.subject, mail.text.includes('http')]).toEqual(['Nothing: no rows', false]);
});

it('sends the file of a list with what the owner may read', async () => {
  const api = service.as({ userId });
  service.crm.lists.set('listLeads', [{ id: '1', email: 'ada@example.com', createdAt: '2026-03-02T09:00:00.000Z' }]);
  other.crm.lists.set('listLeads', [{ id: '1', email: 'ada@example.com', createdAt: '2026-03-02T09:00:00.000Z' }]);
  const id = await aReport(api, { type: 'leads', query: { columns: ['email'] } });
  const { recipients } = await aSchedule(api, id);
  await letTimeCome(api);
  expect(await runOf(api, id, 'completed')).toMatchObject({ rowCount: 1 });
  const { text } = await mailTo(recipients.emails[0]);
  const token = linkIn(text).split('/').at(-1);
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const file = await service.send(service.operations.downloadExportFile, { params: { token } }, nobody);
  expect(file.text).toBe('email\r\nada@example.com\r\n');
});

it('reads a moving period by its own time zone, not by that of the tenant', async () => {
  const api = service.as({ userId });
  for (const peer of [service, other]) peer.crm.lists.set('listLeads', []);
  // Half past midnight there is 10:30 UTC of the day before.
  const kiritimati = { cron: '30 0 * * *', frequency: undefined, timezone: 'Pacific/Kiritimati' };
  const [numbers, list] = [
    await aReport(api, { query: { period: 'today' } }),
    await aReport(api, { type: 'leads', query: { period: 'today', columns: ['email'] } }),
  ];
  const { nextRunAt } = await aSchedule(api, numbers, kiritimati);
  await aSchedule(api, list, kiritimati);
  await letTimeCome(api);
  const today = new Date(Date.parse(nextRunAt) + 14 * 3_600_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const { result } = await runOf(api, numbers, 'completed');
  expect(result.period).toMatchObject({ from: `${today}T00:00:00.000Z`, timezone: 'UTC' });
  const { exportId } = await runOf(api, list, 'completed');
  const { data } = await api.getExport({ params: { id: exportId } });
  expect(Date.parse(nextRunAt) - Date.parse(data.filters.createdFrom)).toBe(30 * 60_000);
});

it.each([
  ['a list', { type: 'leads', query: { columns: ['email'] } }, ['analytics:read']],
  ['numbers', { query: march }, ['leads:read']],
])('sends %s only to users who may read it', async (of, body, permissions) => {
  const api = service.as({ userId });
  for (const peer of [service, other])
    peer.crm.lists.set('listLeads', [{ id: '1', email: 'ada@example.com', createdAt: '2026-03-02T09:00:00.000Z' }]);
  await reportLeads(service, api);
  const id = await aReport(api, { name: `For few: ${of}`, ...body });
  const valid = { frequency: 'daily', timezone: 'UTC', format: 'csv' };
  identity.permissions.set(members.seller, permissions);
  const userIds = [members.both, members.seller];
  const refused = await api.createReportSchedule({ params: { id }, body: { ...valid, recipients: { userIds } } });
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, 'recipients.userIds.1']);
  identity.permissions.delete(members.seller);
  await aSchedule(api, id, { recipients: { userIds } });
  identity.permissions.set(members.seller, permissions);
  await letTimeCome(api);
  await runOf(api, id, 'completed');
  identity.permissions.delete(members.seller);
  const subjectsTo = (user: string) =>
    mailbox.to(addressOf(user)).filter(({ subject }) => subject === `For few: ${of}`).length;
  await until('the other user gets it', () => subjectsTo(members.both) > 0);
  expect(subjectsTo(members.seller)).toBe(0);
  const { lastStatus, lastError } = await scheduleOf(api, id);
  expect([lastStatus, lastError]).toEqual([
    'completed',
    'Users who got no message, because they are not active or may not read the report: 1',
  ]);
});

it('fails at once with a stored query that requests cannot have', async () => {
  const api = service.as({ userId });
  const steps = [{ leadStatus: 'new' }, { leadStatus: 'qualified' }];
  const id = await aReport(api, { type: 'funnel', query: { ...march, steps } });
  await aSchedule(api, id);
  await service.sqlWithin(
    api.caller,
    `UPDATE report SET wire_query = jsonb_set(wire_query, '{steps,1,leadStatus}', '"qualifed"')`,
  );
  await letTimeCome(api);
  const { attempts, error } = await runOf(api, id, 'failed');
  expect([attempts, error]).toEqual([
    1,
    {
      code: 'validation_failed',
      message: 'steps.1.leadStatus: Must be one of new, contacted, qualified, unqualified',
    },
  ]);
});

it('fails when nobody is left who may read it', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  const id = await aReport(api, { query: march });
  await aSchedule(api, id, { recipients: { userIds: [members.seller] } });
  identity.permissions.set(members.seller, ['leads:read']);
  await letTimeCome(api);
  const failed = await runOf(api, id, 'failed');
  identity.permissions.delete(members.seller);
  expect(failed.error.code).toBe('no_recipients');
});

/** The event by which identity notifies a user of a failure. */
const failureOf = (id: string) =>
  until('the failure is announced', () =>
    service.events.find(
      ({ name, data }) => name === 'report.failed' && (data as { reportId?: string }).reportId === id,
    ),
  );

it('announces a failure for its owner, and sends nothing to others', async () => {
  const owner = members.both;
  const api = service.as({ userId: Number(owner) });
  const id = await aReport(api, { name: 'Secret', query: march });
  const { recipients } = await aSchedule(api, id);
  identity.permissions.set(owner, ['leads:read']);
  await letTimeCome(api);
  expect(await runOf(api, id, 'failed')).toMatchObject({ error: { code: 'forbidden' }, files: null });
  identity.permissions.delete(owner);
  const message = 'The owner of the report may not read what it shows any more';
  expect(await failureOf(id)).toMatchObject({ data: { code: 'forbidden', message, createdBy: owner } });
  expect(mailbox.to(recipients.emails[0])).toEqual([]);
  expect(await scheduleOf(api, id)).toMatchObject({ lastStatus: 'failed', active: true });
});

it('announces a failure when the job gives up', async () => {
  const api = service.as({ userId });
  const id = await aReport(api, { query: march });
  await aSchedule(api, id, { recipients: { userIds: [members.seller] } });
  identity.failing.add('/internal/users/assignees');
  await letTimeCome(api);
  await runOf(api, id, 'running');
  await until('the attempts of the job are used up', async () => {
    const giveUp = `UPDATE platform.job SET attempts = 9, due_at = now() WHERE name = 'evaluate-report' AND attempts < 9`;
    return (await service.sqlWithin(api.caller, `${giveUp} RETURNING 1`)).length > 0;
  });
  const failed = await runOf(api, id, 'failed');
  identity.failing.clear();
  const { code, message } = failed.error;
  expect(await failureOf(id)).toMatchObject({ data: { code, message, createdBy: users.active } });
  expect(await scheduleOf(api, id)).toMatchObject({ lastStatus: 'failed', lastError: message, active: true });
});

it('stops when its owner is not active any more, with the reason', async () => {
  const owner = members.both;
  const api = service.as({ userId: Number(owner) });
  const id = await aReport(api, { query: march });
  await aSchedule(api, id);
  identity.left.add(owner);
  await letTimeCome(api);
  const stopped = await until('the schedule stops', async () => {
    const schedule = await scheduleOf(api, id);
    return schedule.active === false && schedule;
  });
  identity.left.delete(owner);
  expect(stopped).toMatchObject({ stoppedReason: 'owner_inactive', nextRunAt: null });
  expect(stopped.lastError).toMatch(/not active/);
  expect((await api.listReportRuns({ params: { id } })).data).toEqual([]);
  const params = { id, scheduleId: stopped.id };
  const { data } = await api.updateReportSchedule({ params, body: { active: true } });
  expect(data).toMatchObject({ active: true, stoppedReason: null, lastError: null });
  expect(data.nextRunAt).not.toBeNull();
});

it('moves with a change of its time, and ends with the report', async () => {
  const api = service.as({ userId });
  const id = await aReport(api, { query: march });
  const before = await aSchedule(api, id, { frequency: 'weekly', time: '07:00', weekday: 2 });
  const params = { id, scheduleId: before.id };
  const { data } = await api.updateReportSchedule({ params, body: { cron: '15 9 1 * *', timezone: 'UTC' } });
  expect(data).toMatchObject({ frequency: null, weekday: null, cron: '15 9 1 * *', version: 2 });
  expect(data.nextRunAt).toMatch(/-01T09:15:00/);
  await letTimeCome(api);
  await runOf(api, id, 'completed');
  // The job for the time before the change had nothing to do.
  expect((await api.listReportRuns({ params: { id } })).data).toHaveLength(1);
  const paused = await api.updateReportSchedule({ params, body: { active: false } });
  expect(paused.data).toMatchObject({ active: false, nextRunAt: null, stoppedReason: null });
  await api.deleteReport({ params: { id } });
  expect((await api.listReportSchedules({ params: { id } })).status).toBe(404);
  expect(await service.sqlWithin(api.caller, 'SELECT 1 FROM report_schedule')).toEqual([]);
});

it('sends no mail in the sandbox', async () => {
  const api = service.as({ userId, environment: 'sandbox' });
  const id = await aReport(api);
  await aSchedule(api, id);
  await letTimeCome(api);
  await runOf(api, id, 'completed');
  const mails = await service.sqlWithin(api.caller, 'SELECT state FROM platform.mail');
  expect(mails).toEqual([{ state: 'suppressed' }]);
});

it('rejects what cannot be sent, and names the field', async () => {
  const api = service.as({ userId });
  const [numbers, list] = [await aReport(api), await aReport(api, { type: 'leads' })];
  const valid = { frequency: 'daily', timezone: 'UTC', format: 'csv', recipients: { emails: ['ada@example.com'] } };
  const faultsOf = async (body: object, id = numbers) => {
    const { status, body: reply } = await api.createReportSchedule({ params: { id }, body: { ...valid, ...body } });
    return [status, ...(reply.errors ?? []).map(({ field }: { field: string }) => field)];
  };
  expect(await faultsOf({ frequency: undefined })).toEqual([422, 'frequency']);
  expect(await faultsOf({ cron: '0 8 * * *' })).toEqual([422, 'cron']);
  expect(await faultsOf({ frequency: undefined, cron: '* * * * *' })).toEqual([422, 'cron']);
  expect(await faultsOf({ timezone: 'Europe/Nowhere' })).toEqual([422, 'timezone']);
  expect(await faultsOf({ recipients: {} })).toEqual([422, 'recipients']);
  expect(await faultsOf({ recipients: { userIds: [users.suspended] } })).toEqual([422, 'recipients.userIds.0']);
  const many = Array.from({ length: 21 }, (_, index) => `p${index}@example.com`);
  expect(await faultsOf({ recipients: { emails: many } })).toEqual([422, 'recipients.emails']);
  expect(await faultsOf({ format: 'pdf' }, list)).toEqual([422, 'format']);
  const shared = await aReport(api, { visibility: 'tenant' });
  const reader = service.as({ tenantId: api.caller.tenantId as number, userId: 9 });
  const theirs = await reader.createReportSchedule({ params: { id: shared }, body: valid });
  expect(theirs.status).toBe(403);
});
