import { workflowPaused, type workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';

export const pauseWorkflow: Handler<typeof workflows.pauseWorkflow> = async ({ params, tx, emit, ifMatch }) => {
  const { workflow, event } = await changeStatus(tx, params.id, 'paused', ifMatch);
  emit(workflowPaused, event);
  return workflow;
};
