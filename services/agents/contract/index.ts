// The contract of agents: agents that call leads or recommend next steps, their executions, approvals and
// recommendations.
import { personalDataOperations, recordPages } from '@tandem/contract';
import { agentRows } from './agents.ts';
import { approvals } from './approvals.ts';
import { bulkRuns } from './bulk-runs.ts';
import { calls } from './calls.ts';
import { executions } from './executions.ts';
import { internalApprovalCounts } from './internal.ts';
import { internalNames } from './names.ts';
import { recommendations } from './recommendations.ts';
import { agentSchedules } from './schedules.ts';

export * from './actions.ts';
export * from './agents.ts';
export * from './approvals.ts';
export * from './bulk-run.ts';
export * from './bulk-run-items.ts';
export * from './bulk-runs.ts';
export * from './calls.ts';
export { BulkStatus } from './decision.ts';
export * from './executions.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './recommendations.ts';
export * from './schedules.ts';
export * from './usage.ts';

export const agents = {
  ...agentRows,
  ...bulkRuns,
  ...executions,
  ...calls,
  ...approvals,
  ...recommendations,
  ...agentSchedules,
  ...internalNames,
  ...internalApprovalCounts,
  ...personalDataOperations,
  ...recordPages,
};
