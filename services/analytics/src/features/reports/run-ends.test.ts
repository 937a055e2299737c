import { identityPeer, until, users } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aReport, download, reportLeads, run, runReaches } from './reports.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: Analytics;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const userId = Number(users.active);
const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };

it('a run whose report is deleted ends, so that it is no open run of the tenant', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  const id = await aReport(api, { query: march });
  await run(api, id);
  const sql = (text: string) => service.sqlWithin(api.caller, text);
  const open = `UPDATE report_run SET status = 'running', completed_at = NULL, error_code = NULL`;
  const runs = () => sql('SELECT status, error_code AS code FROM report_run');
  const ended = [{ status: 'failed', code: 'report_deleted' }];
  await sql(open);
  expect((await api.deleteReport({ params: { id } })).status).toBe(200);
  expect(await runs()).toEqual(ended);
  // The job finds a run that began while the report was deleted.
  await sql(open);
  await sql(`INSERT INTO platform.job (name, payload, due_at)
    SELECT 'evaluate-report', jsonb_build_object('reportRunId', id::text), now() FROM report_run`);
  await until('the job has ended the run', async () => (await runs())[0]?.['status'] === 'failed');
  expect(await runs()).toEqual(ended);
});

it('a dashboard is not sent while the records are counted again for another time zone', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  const id = await aReport(api, { query: march });
  const changing = (zone: string) =>
    service.sqlWithin(
      api.caller,
      `INSERT INTO counting (timezone, wanted_timezone, version, timezone_before) VALUES ('UTC', 'UTC', 1, ${zone})
       ON CONFLICT (tenant_id, environment) DO UPDATE SET timezone_before = excluded.timezone_before`,
    );
  await changing(`'Asia/Tokyo'`);
  const { data } = await api.runReport({ params: { id }, body: {} });
  const params = { id, runId: data.id };
  const waiting = await until('the first attempt has failed', async () => {
    const { data: shown } = await api.getReportRun({ params });
    return shown.error && shown;
  });
  expect([waiting.status, waiting.error.code]).toEqual(['running', 'recounting']);
  await changing('NULL');
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'evaluate-report'`);
  expect((await runReaches(api, params, 'completed')).result.leads.new).toBe(2);
});

it('a result names the events that the plan no longer keeps, also in its file, which has no lists', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  await service.sqlWithin(
    api.caller,
    `INSERT INTO retention (kept_since) VALUES ('2026-03-15T00:00:00Z')
     ON CONFLICT (tenant_id, environment) DO UPDATE SET kept_since = excluded.kept_since`,
  );
  const steps = [{ event: 'email_sent' }, { event: 'email_open' }];
  const cohort = { ...march, interval: 'week' };
  for (const [type, query] of [
    ['funnel', { ...march, steps }],
    ['cohort', cohort],
  ]) {
    const id = await aReport(api, { type, query });
    const { result, files } = await run(api, id);
    expect([type, result.warnings]).toEqual([type, [expect.stringContaining('2026-03-15')]]);
    const file = JSON.parse((await download(service, files.json)).text);
    expect([file.warnings, file.lists]).toEqual([result.warnings, undefined]);
    expect((await download(service, files.pdf)).status).toBe(200);
  }
});

it('an export of a report that is deleted before its turn fails instead of being empty', async () => {
  const api = service.as({ userId });
  await reportLeads(service, api);
  const id = await aReport(api, { query: march });
  await run(api, id);
  service.crm.lists.set('listLeads', [{ id: '1' }]);
  await api.createExport({ body: { source: 'leads', format: 'csv' } });
  const release = service.crm.hold();
  let second: Awaited<ReturnType<typeof api.createExport>>;
  try {
    second = await api.createExport({ body: { source: 'report', reportId: id, format: 'csv' } });
    expect(second.body.errors).toBeUndefined();
    await service.sqlWithin(api.caller, `UPDATE export SET status = 'queued' WHERE id = ${second.data.id}`);
    await api.deleteReport({ params: { id } });
  } finally {
    release();
  }
  const failed = await until('the export has failed', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'run-export'`);
    const { data } = await api.getExport({ params: { id: second.data.id } });
    return data.status !== 'queued' && data.status !== 'running' && data;
  });
  expect([failed.status, failed.error?.message]).toEqual(['failed', expect.stringContaining('The report was deleted')]);
});
