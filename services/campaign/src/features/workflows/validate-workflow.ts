import type { workflowChecks } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { draftErrors } from './draft-errors.ts';
import { asFullWorkflow } from './workflow.ts';

export const validateWorkflow =
  (tools: Pick<Tools, 'ids'>): Handler<typeof workflowChecks.validateWorkflow> =>
  async ({ params, tx }) => {
    const row = await tx.workflow.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const errors = await draftErrors(tools, tx, asFullWorkflow(row));
    return { valid: !errors.length, errors };
  };
