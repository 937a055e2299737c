import type { executions } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { asExecution } from './execution.ts';

export const getExecution = (tools: Tools): Handler<typeof executions.getExecution> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.execution.findFirst({ where: { id: params.id } })),
  async run({ params, tx }) {
    const row = await tx.execution.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asExecution(row);
  },
});
