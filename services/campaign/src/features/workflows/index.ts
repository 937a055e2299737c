import type { workflows } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createWorkflow } from './create-workflow.ts';
import { getWorkflow } from './get-workflow.ts';
import { listWorkflows } from './list-workflows.ts';

export const workflowHandlers = (tools: Pick<Tools, 'identity'>) =>
  ({ createWorkflow: createWorkflow(tools), listWorkflows, getWorkflow }) satisfies Handlers<typeof workflows, Tx>;
