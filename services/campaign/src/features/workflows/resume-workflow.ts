import { workflowResumed, type workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { unparkExecutionsJob } from '../engine/unpark-executions.job.ts';
import { changeStatus } from './change-status.ts';

export const resumeWorkflow: Handler<typeof workflows.resumeWorkflow> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const { workflow, event } = await changeStatus(tx, params.id, 'published', ifMatch);
  await schedule(unparkExecutionsJob, [{ workflowId: workflow.id }]);
  emit(workflowResumed, event);
  return workflow;
};
