import type { approvals, internalApprovalCounts } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approveExecution } from './approve-execution.ts';
import { countPendingApprovals } from './count-pending-approvals.ts';
import { decideApprovals } from './decide-approvals.ts';
import { getApproval } from './get-approval.ts';
import { listApprovals } from './list-approvals.ts';
import { rejectExecution } from './reject-execution.ts';

export const approvalHandlers = (tools: Tools) =>
  ({
    listApprovals: listApprovals(tools),
    getApproval: getApproval(tools),
    approveExecution: approveExecution(tools),
    rejectExecution: rejectExecution(tools),
    decideApprovals: decideApprovals(tools),
    countPendingApprovals,
  }) satisfies Handlers<typeof approvals & typeof internalApprovalCounts, Tx>;
