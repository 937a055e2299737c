import type { approvals } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { asApproval } from './approval.ts';

export const getApproval = (tools: Tools): Handler<typeof approvals.getApproval> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.approval.findFirst({ where: { id: params.id } })),
  async run({ params, tx }) {
    const row = await tx.approval.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asApproval(row);
  },
});
