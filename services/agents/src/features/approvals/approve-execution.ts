import type { approvals } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import type { Handler } from '../../handler.ts';
import { decide } from './approval.ts';

export const approveExecution: Handler<typeof approvals.approveExecution> = ({ params, body, caller, ...context }) => {
  const { tenantId = 0, environment } = caller;
  const decision = {
    status: 'approved',
    comment: body.comment ?? null,
    decidedBy: actingUserId(caller) ?? null,
  } as const;
  return decide(context, params.id, { decision, scope: { tenantId, environment } });
};
