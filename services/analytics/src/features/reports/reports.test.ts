import { createIdCodec } from '@tandem/ids';
import { identityPeer, teams, until, users } from '@tandem/testing';
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

const ids = createIdCodec(process.env['IDS_ALPHABET'] as string);
const userId = Number(users.active);
const march = { dateFrom: '2026-03-01', dateTo: '2026-03-31' };

describe('a report', () => {
  it('is seen by its owner, by its team, or by everybody, and changed by its owner only', async () => {
    const owner = service.as({ userId, teamIds: [Number(teams.sales)] });
    const { tenantId } = owner.caller;
    const [mate, other] = [
      service.as({ tenantId: tenantId as number, userId: 8, teamIds: [Number(teams.sales)], can: ['analytics:read'] }),
      service.as({ tenantId: tenantId as number, userId: 9, can: ['analytics:read'] }),
    ];
    const seenBy = async (api: typeof owner, id: string) => (await api.getReport({ params: { id } })).status;
    const seen = async (visibility: string) => {
      const id = await aReport(owner, { visibility });
      return [await seenBy(owner, id), await seenBy(mate, id), await seenBy(other, id), await seenBy(service.as(), id)];
    };
    expect(await seen('private')).toEqual([200, 404, 404, 404]);
    expect(await seen('team')).toEqual([200, 200, 404, 404]);
    expect(await seen('tenant')).toEqual([200, 200, 200, 404]);
    expect((await mate.listReports()).data).toHaveLength(2);
    const id = (await other.listReports()).data[0].id;
    const reader = service.as({
      tenantId: tenantId as number,
      userId: 9,
      can: ['analytics:write', 'analytics:delete'],
    });
    expect((await reader.updateReport({ params: { id }, body: { name: 'Mine' } })).status).toBe(403);
    expect((await reader.deleteReport({ params: { id } })).status).toBe(403);
    const changed = await owner.updateReport({
      params: { id },
      body: { name: 'Year', query: { period: 'this_year' } },
    });
    expect(changed.data).toMatchObject({ name: 'Year', query: { period: 'this_year' }, version: 2 });
    const manager = service.as({ tenantId: tenantId as number, userId: 9 });
    expect((await manager.deleteReport({ params: { id } })).status).toBe(200);
    expect(await seenBy(owner, id)).toBe(404);
  });

  it('is shared with a team of its owner only', async () => {
    const owner = service.as({ userId, teamIds: [Number(teams.sales)] });
    const refused = async (teamId: string, api = owner) => {
      const { status, body } = await api.createReport({
        body: { name: 'X', type: 'dashboard', visibility: 'team', teamId },
      });
      return [status, body.errors];
    };
    const foreign = [422, [{ field: 'teamId', message: 'Must be one of your teams' }]];
    expect(await refused(teams.support)).toEqual(foreign);
    expect(await refused(teams.sales, service.as({ userId }))).toEqual(foreign);
    expect(await refused('77')).toEqual([422, [{ field: 'teamId', message: 'No team with this id' }]]);
    const params = { id: await aReport(owner) };
    const moved = await owner.updateReport({ params, body: { visibility: 'team', teamId: teams.support } });
    expect([moved.status, moved.body.errors]).toEqual(foreign);
    expect((await owner.updateReport({ params, body: { visibility: 'team' } })).data.teamId).toBe(teams.sales);
  });

  it('rejects what its type would reject, and names the field', async () => {
    const api = service.as({ userId });
    const faultsOf = async (type: string, query: object) => {
      const { status, body } = await api.createReport({ body: { name: 'X', type, query } });
      return [status, ...(body.errors ?? []).map(({ field }: { field: string }) => field)];
    };
    expect(await faultsOf('dashboard', { dateFrom: 'x' })).toEqual([422, 'query.dateFrom']);
    expect(await faultsOf('dashboard', { from: '2026-03-01' })).toEqual([422, 'query']);
    expect(await faultsOf('dashboard', { dateFrom: '2026-03-02', dateTo: '2026-03-01' })).toEqual([
      422,
      'query.dateFrom',
    ]);
    expect(await faultsOf('dashboard', { period: 'last_month', dateTo: '2026-03-01' })).toEqual([422, 'query.period']);
    expect(await faultsOf('dashboard', { userId: ids.encode('user', 1, 5) })).toEqual([422, 'query.userId']);
    expect(await faultsOf('funnel', { steps: [{ event: 'email_open' }] })).toEqual([422, 'query.steps']);
    expect(await faultsOf('cohort', { metric: 'revenue' })).toEqual([422, 'query.currency']);
    expect(await faultsOf('leads', { filters: { nothing: 1 } })).toEqual([422, 'query.filters']);
    const reversed = {
      createdFrom: '2026-03-02T00:00:00Z',
      createdTo: '2026-03-01T00:00:00Z',
      scoreMin: 2,
      scoreMax: 1,
    };
    expect(await faultsOf('leads', { filters: reversed })).toEqual([
      ...[422, 'query.filters.createdFrom', 'query.filters.scoreMin'],
    ]);
    expect(await faultsOf('leads', { columns: ['nothing'] })).toEqual([422, 'query.columns.0']);
    const reader = service.as({ userId, can: ['analytics:*'] });
    expect((await reader.createReport({ body: { name: 'X', type: 'leads' } })).status).toBe(403);
  });
});

it.each([
  [
    ...(['dashboard', { from: '2026-03-01', city: 'Bonn', compare: 'none' }, 'from, city'] as const),
    'dateFrom, dateTo, timezone, compare, teamId, userId, cohortId, period',
  ],
  [
    ...(['funnel', { window: { value: 1, unit: 'day' } }, 'window'] as const),
    'type, pipelineId, dateFrom, dateTo, timezone, teamId, userId, cohortId, period',
  ],
  [
    ...(['cohort', { breakdown: 'source' }, 'breakdown'] as const),
    'cohortBy, interval, metric, periods, dateFrom, dateTo, timezone, currency, userId, teamId, cohortId, period',
  ],
])('a query of a %s names its unknown fields and the accepted ones', async (type, query, unknown, accepted) => {
  const { status, body } = await service.as({ userId }).createReport({ body: { name: 'X', type, query } });
  const message = `Has unknown fields: ${unknown}; the fields of this type are ${accepted}`;
  expect([status, body.errors]).toEqual([422, [{ field: 'query', message }]]);
});

describe('a run', () => {
  it('has the numbers of the dashboard, with parameters of its own, and files of them', async () => {
    const api = service.as({ userId });
    await reportLeads(service, api);
    const id = await aReport(api, { query: { ...march, compare: 'previous' } });
    const first = await run(api, id);
    expect(first).toMatchObject({ status: 'completed', error: null, exportId: null, allowedTransitions: [] });
    expect(first.result.leads).toMatchObject({ new: 2, byStatus: { new: 2 } });
    const live = (await api.getDashboard({ query: march })).data;
    expect(first.result.leads).toEqual(live.leads);
    const april = await run(api, id, { params: { dateFrom: '2026-04-01', dateTo: '2026-04-30' } });
    expect(april.result.leads).toMatchObject({ new: 0, total: 2 });
    expect((await api.listReportRuns({ params: { id } })).data).toHaveLength(2);
    const moving = await aReport(api, { query: { period: 'yesterday' } });
    const again = await run(api, moving, { params: { dateFrom: '2026-04-01', dateTo: '2026-04-30' } });
    expect(again.result.period).toEqual(april.result.period);
    expect((await run(api, id, { params: { period: 'yesterday' } })).result.period).not.toEqual(april.result.period);
    const csv = (await download(service, first.files.csv)).text.split('\r\n');
    expect(csv[0]).toBe('section,number,from,value,previous');
    expect(csv).toContain('leads,new,,2,0');
    const { lists, ...numbers } = first.result;
    expect(JSON.parse((await download(service, first.files.json)).text)).toEqual(numbers);
    const completed = service.events.find(
      ({ name, data }) => name === 'report.completed' && (data as { reportRunId?: string }).reportRunId === first.id,
    );
    expect(completed?.data).toMatchObject({ reportId: id, type: 'dashboard', rowCount: first.rowCount });
  });

  it('names the lists that its reader can read in full', async () => {
    const api = service.as({ userId });
    await reportLeads(service, api);
    const id = await aReport(api, { query: march, visibility: 'tenant' });
    const { id: runId, result } = await run(api, id);
    const pathsOf = ({ lists }: { lists: { path: string }[] }) => new Set(lists.map(({ path }) => path));
    expect(pathsOf(result).size).toBe(6);
    const { tenantId } = api.caller;
    const reader = service.as({
      ...{ tenantId: tenantId as number, userId: 9 },
      can: ['analytics:read', 'leads:read:own', 'tasks:read'],
    });
    const read = await reader.getReportRun({ params: { id, runId } });
    expect(read.data.result.leads).toEqual(result.leads);
    expect([...pathsOf(read.data.result)]).toEqual(['/v1/tasks']);
  });

  it.each([
    ['cohort', { cohortBy: 'source', periods: 2, ...march }, 'cohort,size,period0,period1'],
    ['funnel', { ...march }, 'group,userName,step,count,fromPrevious,fromStart,medianSeconds'],
    [
      'funnel',
      { ...march, steps: [{ leadStatus: 'new', name: '=1+1' }, { converted: true }] },
      'group,userName,step,count,fromPrevious,fromStart,medianSeconds',
    ],
  ])('of a %s has its numbers, and a table of them', async (type, query, head) => {
    const api = service.as({ userId });
    await reportLeads(service, api);
    const { files, rowCount } = await run(api, await aReport(api, { type, query }));
    const lines = (await download(service, files.csv)).text.split('\r\n');
    expect([lines[0], lines.length - 2]).toEqual([head, rowCount]);
    if ('steps' in query) expect(lines[1]).toBe("all,,'=1+1,2,,100,");
    const pdf = await download(service, files.pdf);
    expect(pdf.headers['content-type']).toBe('application/pdf');
  });

  it('of a tenant without data has no rows', async () => {
    const api = service.as({ userId });
    for (const type of ['dashboard', 'funnel', 'cohort'])
      expect(await run(api, await aReport(api, { type }))).toMatchObject({ rowCount: 0 });
  });

  it('of a list makes an export of what the caller may read, of the moving period', async () => {
    const api = service.as({ userId });
    const lead = { id: '1', email: 'ada@example.com', createdAt: '2026-03-02T09:00:00.000Z' };
    service.crm.lists.set('listLeads', [lead, { ...lead, id: '2' }, { ...lead, id: '3' }]);
    const query = { filters: { status: 'new' }, columns: ['email'], period: 'last_month' };
    const ended = await run(api, await aReport(api, { type: 'leads', query }));
    expect(ended).toMatchObject({ rowCount: 3, result: null, files: null });
    const { data } = await api.getExport({ params: { id: ended.exportId } });
    expect(data).toMatchObject({ status: 'completed', rowCount: 3, columns: ['email'], filters: { status: 'new' } });
    expect(Object.keys(data.filters).sort()).toEqual(['createdFrom', 'createdTo', 'status']);
  });

  it('is repeated after a failure three times, and then failed', async () => {
    const api = service.as({ userId });
    const id = await aReport(api, { type: 'funnel', query: march });
    await service.sql('ALTER TABLE lead_fact RENAME TO lead_fact_away');
    const started = (await api.runReport({ params: { id } })).data;
    const params = { id, runId: started.id };
    for (const attempts of [1, 2, 3]) {
      await until(`attempt ${attempts} has failed`, async () => {
        const { data } = await api.getReportRun({ params });
        return data.attempts === attempts && data.error.code === 'report_failed' && data.status === 'running';
      });
      const due = await service.sqlWithin(
        api.caller,
        `UPDATE platform.job SET due_at = now() WHERE name = 'evaluate-report' RETURNING due_at`,
      );
      expect(due).toHaveLength(1);
    }
    const failed = await runReaches(api, params, 'failed');
    await service.sql('ALTER TABLE lead_fact_away RENAME TO lead_fact');
    expect(failed).toMatchObject({ attempts: 4, result: null, files: null, error: { code: 'report_failed' } });
    const announced = () =>
      service.events.filter(
        ({ name, data }) => name === 'report.failed' && (data as { reportId?: string }).reportId === id,
      );
    await until('the failure is announced', () => announced().length > 0);
    expect(announced()).toHaveLength(1);
  });
});

describe('a run of a list', () => {
  /** Starts a run whose export waits, because another one of the tenant runs until `release`. */
  async function waitingRun() {
    const api = service.as({ userId });
    service.crm.lists.set('listLeads', [{ id: '1', email: 'ada@example.com', createdAt: '2026-03-02T09:00:00.000Z' }]);
    const id = await aReport(api, { type: 'leads', query: { columns: ['email'] } });
    await service.sqlWithin(
      api.caller,
      `INSERT INTO export (source, format, columns, requester, status) VALUES ('leads', 'csv', '{id}', '{}', 'running')`,
    );
    const started = await api.runReport({ params: { id } });
    const params = { id, runId: started.data.id };
    const exportId = await until('it has an export', async () => {
      const { data } = await api.getReportRun({ params });
      return data.exportId as string | null;
    });
    const change = (from: string, fields: string) =>
      service.sqlWithin(api.caller, `UPDATE export SET ${fields}, completed_at = now() WHERE status = '${from}'`);
    return {
      ...{ api, params, exportId },
      release: () => change('running', `status = 'cancelled'`),
      failWith: (code: string) =>
        change('queued', `status = 'failed', error_code = '${code}', error_message = 'It failed'`),
    };
  }

  it('makes another export after one that failed', async () => {
    const { api, params, exportId, release, failWith } = await waitingRun();
    await failWith('export_failed');
    const failed = await until('the attempt has failed', async () => {
      const { data } = await api.getReportRun({ params });
      return data.attempts === 1 && data;
    });
    expect(failed).toMatchObject({ status: 'running', exportId: null, error: { code: 'export_failed' } });
    await release();
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'evaluate-report'`);
    const ended = await runReaches(api, params, 'completed');
    expect(ended).toMatchObject({ rowCount: 1, error: null });
    expect(ended.exportId).not.toBe(exportId);
  });

  it.each(['too_many_records', 'file_too_large', 'filters_invalid', 'cohort_unavailable'])(
    'fails at once after %s, which another export would have too',
    async (code) => {
      const { api, params, failWith } = await waitingRun();
      await failWith(code);
      const failed = await runReaches(api, params, 'failed');
      expect(failed).toMatchObject({ attempts: 1, error: { code, message: 'It failed' } });
    },
  );

  it('fails at once when its export is cancelled', async () => {
    const { api, params, exportId } = await waitingRun();
    await api.cancelExport({ params: { id: exportId } });
    expect(await runReaches(api, params, 'failed')).toMatchObject({ attempts: 1, error: { code: 'export_cancelled' } });
  });
});

describe('an export of a report', () => {
  it('has the rows of its last run, and is seen by its requester only', async () => {
    const api = service.as({ userId });
    await reportLeads(service, api);
    const reportId = await aReport(api, { type: 'funnel', query: march });
    const body = { source: 'report', format: 'ndjson', reportId };
    expect((await api.createExport({ body })).body).toMatchObject({ status: 409, code: 'no_run' });
    await run(api, reportId);
    const { data: started } = await api.createExport({ body });
    const params = { id: started.id };
    const ended = await until('the export is completed', async () => {
      const { data } = await api.getExport({ params });
      return data.status === 'completed' && data;
    });
    expect(ended).toMatchObject({ source: 'report', rowCount: 5 });
    const token = ended.downloadUrl.split('/').at(-1);
    const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
    const { text } = await service.send(service.operations.downloadExportFile, { params: { token } }, nobody);
    expect(JSON.parse(text.split('\n')[0] as string)).toMatchObject({ group: 'all', step: 'new', count: 2 });
    const other = service.as({ tenantId: api.caller.tenantId as number, userId: 9 });
    expect((await other.getExport({ params })).status).toBe(404);
    const unseen = await other.createExport({ body });
    expect([unseen.status, unseen.body.errors?.[0]?.field]).toEqual([422, 'reportId']);
  });

  it('of a list is that of its records', async () => {
    const api = service.as({ userId });
    service.crm.lists.set('listLeads', []);
    const reportId = await aReport(api, { type: 'leads', query: { columns: ['email'], filters: { status: 'new' } } });
    const { data } = await api.createExport({ body: { source: 'report', format: 'csv', reportId } });
    expect(data).toMatchObject({ source: 'leads', columns: ['email'], filters: { status: 'new' } });
  });
});

describe('a link to a file', () => {
  it('ends with the permission of its user', async () => {
    const api = service.as({ userId });
    const { files } = await run(api, await aReport(api));
    identity.permissions.set(users.active, ['leads:read']);
    expect((await download(service, files.csv)).status).toBe(404);
    identity.permissions.delete(users.active);
    expect((await download(service, files.csv)).status).toBe(200);
    expect((await download(service, `${files.csv}x`)).status).toBe(404);
  });
});

it('a user has at most 100 reports, and others can still make some', async () => {
  const api = service.as({ userId });
  for (let n = 0; n < 100; n++) await aReport(api);
  const body = { name: 'One more', type: 'dashboard' };
  const refused = await api.createReport({ body });
  expect([refused.status, refused.body.code]).toEqual([409, 'too_many_own_reports']);
  const colleague = service.as({ tenantId: api.caller.tenantId as number, userId: 9 });
  expect((await colleague.createReport({ body })).status).toBe(201);
});
