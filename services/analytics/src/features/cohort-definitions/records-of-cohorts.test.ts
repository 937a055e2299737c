import { createIdCodec } from '@tandem/ids';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { identityPeer, until, users } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aReport, run } from '../reports/reports.test-service.ts';
import { aTenant } from './cohorts.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let mailbox: Mailbox;
let service: Analytics;
beforeAll(async () => {
  [identity, mailbox] = await Promise.all([identityPeer(), startMailbox()]);
  service = await startAnalytics({ IDENTITY_URL: identity.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
  await mailbox?.close();
});

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const createdAt = '2026-03-02T10:00:00.000Z';
const unavailable = 'No cohort definition with this id';

/** A tenant with three leads, of which the cohorts have the second one. */
async function aTenantWithCohorts() {
  const tenant = aTenant(service, { userId: Number(users.active) });
  const { api } = tenant;
  for (const id of ['1', '2', '3']) await tenant.lead({ id, version: 1, createdAt });
  service.crm.lists.set(
    'listLeads',
    ['1', '2', '3'].map((id) => ({ id, email: `lead${id}@example.com`, createdAt, assignedTo: users.active })),
  );
  await tenant.happened('2', 'link_click');
  for (const id of ['1', '2', '2']) await tenant.happened(id, 'email_open');
  await tenant.counted();
  const filter = { did: [{ type: 'link_click' }] };
  const [evaluated, stored] = [await tenant.save({ filter }), await tenant.save({ filter, static: true })];
  await tenant.ready(stored);
  const code = (id: string) => ids.encode('cohort_definition', api.caller.tenantId as number, Number(id));
  return {
    ...tenant,
    cohorts: [evaluated, stored].map((id) => ({ id, code: code(id) })),
    async exported(body: object, status = 'completed') {
      const reply = await api.createExport({ body: { format: 'csv', ...body } });
      if (reply.status !== 202) throw new Error(JSON.stringify(reply.body));
      return until(`the export is ${status}`, async () => {
        const { data } = await api.getExport({ params: { id: reply.data.id } });
        return data.status === status && data;
      });
    },
  };
}

it('an export of leads or events has those of the cohort, besides its other filters', async () => {
  const { cohorts, exported } = await aTenantWithCohorts();
  for (const { code: cohortId } of cohorts) {
    const filters = { cohortId };
    expect(await exported({ source: 'leads', filters })).toMatchObject({ rowCount: 1, filters });
    expect(await exported({ source: 'events', filters })).toMatchObject({ rowCount: 3 });
    expect(await exported({ source: 'events', filters: { ...filters, type: 'email_open' } })).toMatchObject({
      rowCount: 2,
    });
  }
});

it('an export refuses an unknown cohort, and sources that have no leads', async () => {
  const { api, cohorts } = await aTenantWithCohorts();
  const [{ code: cohortId = '' } = {}] = cohorts;
  const refused = async (as: typeof api, body: object) => {
    const { status, body: reply } = await as.createExport({ body: { format: 'csv', ...body } });
    return [status, reply.errors?.map(({ field }) => field)];
  };
  const other = service.as({ userId: Number(users.active) });
  expect(await refused(other, { source: 'leads', filters: { cohortId } })).toEqual([422, ['filters.cohortId']]);
  const theirs = ids.encode('cohort_definition', other.caller.tenantId as number, Number(cohorts[0]?.id));
  for (const source of ['leads', 'events'])
    expect(await refused(other, { source, filters: { cohortId: theirs } })).toEqual([422, ['filters.cohortId']]);
  expect(await refused(api, { source: 'tasks', filters: { cohortId } })).toEqual([422, ['filters']]);
});

it('reports of numbers and of leads count its leads, and fail once it is deleted', async () => {
  const { api, cohorts } = await aTenantWithCohorts();
  const [cohort] = cohorts;
  const { id, code: cohortId } = cohort as (typeof cohorts)[number];
  const period = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };
  const reports = {
    dashboard: await aReport(api, { type: 'dashboard', query: { ...period, cohortId } }),
    funnel: await aReport(api, { type: 'funnel', query: { ...period, cohortId } }),
    cohort: await aReport(api, { type: 'cohort', query: { ...period, interval: 'month', cohortId } }),
    leads: await aReport(api, { type: 'leads', query: { filters: { cohortId } } }),
  };
  expect((await run(api, reports.dashboard)).result).toMatchObject({ leads: { new: 1, total: 1 } });
  expect((await run(api, reports.funnel)).result).toMatchObject({ steps: [{ count: 1 }, {}, {}, {}] });
  expect((await run(api, reports.cohort)).result).toMatchObject({ rows: [{ size: 1 }] });
  expect(await run(api, reports.leads)).toMatchObject({ rowCount: 1 });

  for (const report of Object.values(reports))
    await api.createReportSchedule({
      params: { id: report },
      body: { frequency: 'daily', timezone: 'UTC', format: 'csv', recipients: { emails: ['board@example.com'] } },
    });
  await api.deleteCohortDefinition({ params: { id } });
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'start-scheduled-report'`);
  for (const [type, report] of Object.entries(reports)) {
    const failed = await until(`the run of ${type} fails`, async () => {
      const { data } = await api.listReportRuns({ params: { id: report }, query: { status: 'failed' } });
      return data[0];
    });
    expect([type, failed.error]).toMatchObject([
      type,
      { code: 'cohort_unavailable', message: expect.stringContaining(unavailable) },
    ]);
  }
  const ofReports = Object.values(reports);
  const announced = await until('each failure is announced', () => {
    const found = service.events.filter(
      ({ name, data }) => name === 'report.failed' && ofReports.includes((data as { reportId: string }).reportId),
    );
    return found.length === ofReports.length && found;
  });
  for (const { data } of announced) expect(data).toMatchObject({ code: 'cohort_unavailable', createdBy: users.active });
  expect(mailbox.to('board@example.com')).toEqual([]);
  for (const [type, report] of Object.entries(reports)) {
    const { status, body } = await api.runReport({ params: { id: report }, body: {} });
    const field = type === 'leads' ? 'query.filters.cohortId' : 'query.cohortId';
    expect([status, body.errors]).toEqual([422, [{ field, message: unavailable }]]);
  }
  const { status, body } = await api.createReport({ body: { name: 'X', type: 'funnel', query: { cohortId } } });
  expect([status, body.errors?.[0]?.field]).toEqual([422, 'query.cohortId']);
});
