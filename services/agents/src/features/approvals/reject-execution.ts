import type { approvals } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import type { Handler } from '../../handler.ts';
import { decide } from './approval.ts';

export const rejectExecution: Handler<typeof approvals.rejectExecution> = ({ params, body, caller, ...context }) => {
  const decision = { status: 'rejected', reason: body.reason, decidedBy: actingUserId(caller) ?? null } as const;
  return decide(context, params.id, { decision });
};
