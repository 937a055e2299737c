import type { Workflow, workflows } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { asWorkflow } from './workflow.ts';

export const getWorkflow: Handler<typeof workflows.getWorkflow> = async ({ params, tx }) => {
  const row = await tx.workflow.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asWorkflow(row) as unknown as z.output<typeof Workflow>;
};
