import { workflowArchived, type workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { cancelExecutionsJob } from '../engine/cancel-executions.job.ts';
import { changeStatus } from './change-status.ts';

/** Nothing is sent from now on; the executions are cancelled by a job, portion by portion. */
export const archiveWorkflow: Handler<typeof workflows.archiveWorkflow> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const { workflow, event } = await changeStatus(tx, params.id, 'archived', ifMatch);
  await schedule(cancelExecutionsJob, [{ workflowId: workflow.id, reason: 'workflow_archived' }]);
  emit(workflowArchived, event);
  return workflow;
};
