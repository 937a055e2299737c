import { identityPeer, users } from '@tandem/testing';
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

const userId = Number(users.active);

/** A private report with a schedule and a run, a manager of its tenant, and somebody who reads and writes there. */
async function aPrivateReport() {
  const owner = service.as({ userId });
  const tenantId = owner.caller.tenantId as number;
  const id = await aReport(owner);
  const body = { frequency: 'daily', timezone: 'UTC', format: 'csv', recipients: { emails: ['ada@example.com'] } };
  const { data: schedule } = await owner.createReportSchedule({ params: { id }, body });
  const { id: runId } = await run(owner, id);
  return {
    ...{ owner, id, runId, params: { id, scheduleId: schedule.id as string } },
    manager: service.as({ tenantId, userId: 8, can: ['analytics:manage'] }),
    writer: service.as({ tenantId, userId: 9, can: ['analytics:read', 'analytics:write', 'analytics:delete'] }),
  };
}

describe('with the permission analytics:manage, a private report of another user', () => {
  it('is listed on request, also by its owner, without its results', async () => {
    const { manager, writer, owner, id, runId } = await aPrivateReport();
    const mine = await aReport(manager);
    const idsFor = async (query: Record<string, string>) =>
      (await manager.listReports({ query })).data.map((one: { id: string }) => one.id);
    expect(await idsFor({})).toEqual([mine]);
    expect(await idsFor({ includePrivate: 'true' })).toEqual([mine, id]);
    expect(await idsFor({ includePrivate: 'true', ownerId: String(owner.caller.userId) })).toEqual([id]);
    expect(await idsFor({ ownerId: String(owner.caller.userId) })).toEqual([]);
    expect((await manager.getReport({ params: { id } })).data.ownerId).toBe(String(userId));
    expect((await manager.listReportSchedules({ params: { id } })).data).toHaveLength(1);
    const results = [
      await manager.listReportRuns({ params: { id } }),
      await manager.getReportRun({ params: { id, runId } }),
      await manager.runReport({ params: { id } }),
    ];
    expect(results.map(({ status }) => status)).toEqual([404, 404, 404]);
    const { status, body } = await writer.listReports({ query: { includePrivate: 'true' } });
    expect([status, body.errors?.[0]?.field]).toEqual([403, 'includePrivate']);
    expect((await writer.getReport({ params: { id } })).status).toBe(404);
    expect((await writer.listReportSchedules({ params: { id } })).status).toBe(404);
  });

  it('has schedules that are paused, but not changed in another way', async () => {
    const { manager, writer, owner, params } = await aPrivateReport();
    const pause = { params, body: { active: false } };
    expect((await writer.updateReportSchedule(pause)).status).toBe(404);
    for (const body of [
      { active: true },
      { active: false, format: 'json' },
      { recipients: { emails: ['a@b.example'] } },
      {},
    ])
      expect((await manager.updateReportSchedule({ params, body })).status).toBe(403);
    const paused = await manager.updateReportSchedule(pause);
    expect([paused.status, paused.data]).toMatchObject([200, { active: false, nextRunAt: null }]);
    const resumed = await owner.updateReportSchedule({ params, body: { active: true } });
    expect(resumed.data.nextRunAt).not.toBeNull();
    expect((await writer.deleteReportSchedule({ params })).status).toBe(404);
    expect((await manager.deleteReportSchedule({ params })).status).toBe(200);
  });

  it('is deleted, but not changed', async () => {
    const { manager, writer, owner, params } = await aPrivateReport();
    const report = { params: { id: params.id } };
    expect((await manager.updateReport({ ...report, body: { name: 'Mine' } })).status).toBe(404);
    expect((await writer.deleteReport(report)).status).toBe(404);
    expect((await manager.deleteReport(report)).status).toBe(200);
    expect((await owner.getReport(report)).status).toBe(404);
  });
});

it('with the permission for own records only, private reports of others stay hidden', async () => {
  const { owner, id } = await aPrivateReport();
  const tenantId = owner.caller.tenantId as number;
  const narrowed = service.as({ tenantId, userId: 8, can: ['analytics:read', 'analytics:manage:own'] });
  expect((await narrowed.getReport({ params: { id } })).status).toBe(404);
  expect((await narrowed.listReports({ query: { includePrivate: 'true' } })).status).toBe(403);
});
