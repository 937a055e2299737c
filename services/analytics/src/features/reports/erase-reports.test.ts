import { aPerson, identityPeer, publish, until, users } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aReport, run } from './reports.test-service.ts';

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

it('removes an erased person from queries, runs and recipients, and stops schedules that would send all records', async () => {
  const api = service.as({ userId: Number(users.active) });
  service.crm.lists.set('listLeads', []);
  const query = { filters: { search: 'ada@example.com' } };
  const [named, other] = [await aReport(api, { type: 'leads', query }), await aReport(api, { type: 'leads' })];
  await run(api, named);
  await run(api, other, { params: query });
  const schedule = (id: string, emails: string[]) =>
    api.createReportSchedule({
      params: { id },
      body: { frequency: 'daily', timezone: 'UTC', format: 'csv', recipients: { emails } },
    });
  await schedule(named, ['grace@example.com']);
  await schedule(other, ['Ada@example.com', 'grace@example.com']);

  const person = aPerson({ emails: ['ada@example.com'] });
  const told = { service, tenantId: api.caller.tenantId as number };
  await publish(told, 'personal_data.erasure_requested', {
    target: { type: 'erasure', id: 1 },
    data: { person, services: ['analytics'] },
    record: { id: '1' },
  });
  const report = await until('analytics has erased its data', async () => {
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'erase-person'`);
    return service.events.find(({ name }) => name === 'personal_data.erased');
  });
  expect(report.data).toMatchObject({ erased: { reportQueries: 1, reportRuns: 2, reportRecipients: 1 } });
  for (const table of ['report', 'report_run', 'report_schedule'])
    expect(JSON.stringify(await service.sqlWithin(api.caller, `SELECT * FROM ${table}`))).not.toMatch(/ada@/i);
  const ofNamed = (await api.listReportSchedules({ params: { id: named } })).data[0];
  expect(ofNamed).toMatchObject({ active: false, stoppedReason: 'query_erased' });
  const stopped = service.events.flatMap(({ name, data }) => (name === 'report_schedule.stopped' ? [data] : []));
  expect(stopped).toMatchObject([{ reason: 'query_erased', reportName: 'Month', ownerId: users.active }]);
  const ofOther = (await api.listReportSchedules({ params: { id: other } })).data[0];
  expect(ofOther).toMatchObject({ active: true, recipients: { emails: ['grace@example.com'] } });
});
