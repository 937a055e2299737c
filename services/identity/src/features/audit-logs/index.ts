import type { auditLogs, internalAdmin } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getAuditLog } from './get-audit-log.ts';
import { listAuditLogs } from './list-audit-logs.ts';
import { verifyAuditChain } from './verify-audit-chain.ts';

export const auditLogHandlers = (tools: Tools) =>
  ({
    listAuditLogs: listAuditLogs(tools),
    getAuditLog: getAuditLog(tools),
    verifyAuditChain,
  }) satisfies Handlers<typeof auditLogs & Pick<typeof internalAdmin, 'verifyAuditChain'>, Tx>;
