import type { workflows } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asFullWorkflow } from './workflow.ts';

export const getWorkflow: Handler<typeof workflows.getWorkflow> = async ({ params, tx }) => {
  const row = await tx.workflow.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asFullWorkflow(row);
};
