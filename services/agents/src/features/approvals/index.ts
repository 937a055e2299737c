import type { approvals } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { approveExecution } from './approve-execution.ts';
import { listApprovals } from './list-approvals.ts';
import { rejectExecution } from './reject-execution.ts';

export const approvalHandlers = { listApprovals, approveExecution, rejectExecution } satisfies Handlers<
  typeof approvals,
  Tx
>;
