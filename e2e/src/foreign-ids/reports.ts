import type { Position } from './positions.ts';
import type { Setup, World } from './records.ts';

const schedule = {
  ...{ frequency: 'monthly', timezone: 'Europe/Berlin', format: 'csv', active: false },
  recipients: { emails: ['board@example.com'] },
};

/** Creates a report that all users see, a run and a schedule. */
export async function createReports({ direct }: Pick<Setup, 'direct'>, { scope }: Pick<World, 'scope'>) {
  const body = { name: 'Month', type: 'dashboard', visibility: 'tenant' };
  const report = await direct.call('createReport', { body }, scope);
  const params = { id: report.id };
  return {
    report,
    report_run: await direct.call('runReport', { params, body: {} }, scope),
    report_schedule: await direct.call('createReportSchedule', { params, body: schedule }, scope),
  };
}

export const reportRequests = {
  createReport: () => ({ body: { name: 'Month', type: 'dashboard', visibility: 'team' } }),
  updateReport: (_: World, { part }: Position) => ({
    body: { name: 'Year', ...(part === 'body' && { visibility: 'team' }) },
  }),
  createExport: () => ({ body: { source: 'report', format: 'csv' } }),
  runReport: () => ({ body: {} }),
  createReportSchedule: (_: World, { part }: Position) => ({
    body: { ...schedule, ...(part === 'body' && { recipients: {} }) },
  }),
  updateReportSchedule: (_: World, { part }: Position) => ({
    body: { format: 'json', ...(part === 'body' && { recipients: {} }) },
  }),
};

export const reportPreparations = { deleteReport: newReport, deleteReportSchedule: newReport };

/** Replaces the report of the records, with its run and its schedule. */
async function newReport(world: World, setup: Setup): Promise<void> {
  const { report, report_run, report_schedule } = await createReports(setup, world);
  Object.assign(world.records, {
    report: Number(report.id),
    report_run: Number(report_run.id),
    report_schedule: Number(report_schedule.id),
  });
}
