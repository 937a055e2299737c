// The contract of analytics: engagement events and the numbers that are derived from them and from records of other services.
import { jobOperations, personalDataOperations } from '@tandem/contract';
import { cohortDefinitions } from './cohort-definitions.ts';
import { cohorts } from './cohorts.ts';
import { dashboards } from './dashboard.ts';
import { engagement } from './events.ts';
import { dataExports } from './exports.ts';
import { funnels } from './funnels.ts';
import { internalRebuilds } from './internal.ts';
import { predictions } from './predictions.ts';
import { reportRuns } from './report-runs.ts';
import { reportSchedules } from './report-schedules.ts';
import { reports } from './reports.ts';

export * from './cohort-definitions.ts';
export * from './cohorts.ts';
export * from './dashboard.ts';
export * from './events.ts';
export * from './exports.ts';
export * from './fields.ts';
export * from './funnels.ts';
export * from './internal.ts';
export * from './predictions.ts';
export * from './report-runs.ts';
export * from './report-schedules.ts';
export * from './reports.ts';

export const analytics = {
  ...engagement,
  ...dashboards,
  ...funnels,
  ...cohorts,
  ...cohortDefinitions,
  ...dataExports,
  ...reports,
  ...reportRuns,
  ...reportSchedules,
  ...internalRebuilds,
  ...predictions,
  ...jobOperations,
  ...personalDataOperations,
};
