import { randomBytes } from 'node:crypto';
import type { Position } from './positions.ts';
import type { Setup, World } from './records.ts';

const schedule = {
  ...{ frequency: 'monthly', timezone: 'Europe/Berlin', format: 'csv', active: false },
  recipients: { emails: ['board@example.com'] },
};

const aCohort = () => ({ name: `Web ${randomBytes(6).toString('hex')}`, filter: { sources: ['web'] }, static: true });

const ofTenant = { name: 'Month', type: 'dashboard', visibility: 'tenant' };

/** Creates a report that all users see, a run and a schedule, and a saved cohort. */
export async function createReports({ direct }: Pick<Setup, 'direct'>, { scope }: Pick<World, 'scope'>) {
  const report = await direct.call('createReport', { body: ofTenant }, scope);
  const params = { id: report.id };
  return {
    report,
    cohort_definition: await direct.call('createCohortDefinition', { body: aCohort() }, scope),
    report_run: await direct.call('runReport', { params, body: {} }, scope),
    report_schedule: await direct.call('createReportSchedule', { params, body: schedule }, scope),
  };
}

export const reportRequests = {
  updateCohortDefinition: () => ({ body: { name: 'Web' } }),
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

export const reportPreparations = {
  listReports: newReportOfUser,
  deleteReport: newReport,
  deleteReportSchedule: newReport,
  deleteCohortDefinition: newReport,
};

/** Replaces the report of the records, with its run and its schedule, and the saved cohort. */
async function newReport(world: World, setup: Setup): Promise<void> {
  const { report, report_run, report_schedule, cohort_definition } = await createReports(setup, world);
  Object.assign(world.records, {
    report: Number(report.id),
    report_run: Number(report_run.id),
    report_schedule: Number(report_schedule.id),
    cohort_definition: Number(cohort_definition.id),
  });
}

/** Creates a report that belongs to the user of the records. */
async function newReportOfUser({ scope, records }: World, { direct }: Setup): Promise<void> {
  await direct.call('createReport', { body: ofTenant }, { ...scope, userId: Number(records.user) });
}
