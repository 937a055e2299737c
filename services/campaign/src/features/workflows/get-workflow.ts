import type { workflows } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asFullWorkflow, findWorkflowRow } from './workflow.ts';

export const getWorkflow: Handler<typeof workflows.getWorkflow> = async ({ params, tx }) =>
  asFullWorkflow(await findWorkflowRow(tx, params.id));
