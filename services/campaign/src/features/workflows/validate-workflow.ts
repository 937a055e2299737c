import type { workflowChecks } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import type { Handler, Tools } from '../../handler.ts';
import { draftErrors } from './draft-errors.ts';
import { outsideErrors } from './outside-errors.ts';
import { asFullWorkflow, findWorkflowRow } from './workflow.ts';

export const validateWorkflow = (tools: Tools): Handler<typeof workflowChecks.validateWorkflow, FieldError[]> => ({
  async check({ params, caller, tx }) {
    const draft = asFullWorkflow(await findWorkflowRow(tx, params.id));
    return [...(await draftErrors(tools, tx, draft)), ...(await outsideErrors(tools, draft, caller))];
  },
  run: ({ found: errors }) => ({ valid: !errors.length, errors }),
});
