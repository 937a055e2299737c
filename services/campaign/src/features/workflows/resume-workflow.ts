import { workflowResumed, type workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { unparkExecutionsJob } from '../engine/unpark-executions.job.ts';
import { scheduleTrigger } from '../scheduled-triggers/schedule-trigger.ts';
import { changeStatus } from './change-status.ts';
import { readEnterable } from './enterable.ts';

export const resumeWorkflow: Handler<typeof workflows.resumeWorkflow> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const { workflow, event } = await changeStatus(tx, params.id, 'published', ifMatch);
  await schedule(unparkExecutionsJob, [{ workflowId: workflow.id }]);
  const entrance = await readEnterable(tx, workflow.id);
  await scheduleTrigger({ tx, schedule }, workflow.id, entrance?.trigger);
  emit(workflowResumed, event);
  return workflow;
};
