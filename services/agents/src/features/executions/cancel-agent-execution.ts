import type { executions } from '@tandem/agents-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { cancelExecutions } from './cancel-executions.ts';
import { asExecution } from './execution.ts';

export const cancelAgentExecution = (tools: Tools): Handler<typeof executions.cancelAgentExecution> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.execution.findFirst({ where: { id: params.id } })),
  async run({ params: { id }, body, ...context }) {
    const [cancelled] = await cancelExecutions(context, [id], body.reason ?? null);
    if (cancelled) return cancelled;
    const row = await context.tx.execution.findFirst({ where: { id } });
    if (!row) throw fail('not_found');
    const { status, allowedTransitions } = asExecution(row);
    throw fail('wrong_status', [transitionError(status, allowedTransitions)]);
  },
});
