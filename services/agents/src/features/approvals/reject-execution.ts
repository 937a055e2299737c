import type { approvals } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import type { Handler, Tools } from '../../handler.ts';
import { checkLeadReadable } from '../../lead-reach.ts';
import { decide } from './approval.ts';

export const rejectExecution = (tools: Tools): Handler<typeof approvals.rejectExecution> => ({
  check: async ({ params, caller, tx }) =>
    checkLeadReadable(tools, caller, await tx.approval.findFirst({ where: { id: params.id } })),
  run({ params, body, caller, ...context }) {
    const decision = { status: 'rejected', reason: body.reason, decidedBy: actingUserId(caller) ?? null } as const;
    return decide(context, params.id, decision);
  },
});
