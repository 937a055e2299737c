import type { jobOperations } from '@tandem/contract';
import type { auditLogs, internalAdmin } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createAuditExport } from './create-audit-export.ts';
import { downloadAuditExport } from './download-audit-export.ts';
import { getAuditLog } from './get-audit-log.ts';
import { getJob } from './get-job.ts';
import { listAuditLogs } from './list-audit-logs.ts';
import { verifyAuditChain } from './verify-audit-chain.ts';

export const auditLogHandlers = (tools: Tools) =>
  ({
    listAuditLogs: listAuditLogs(tools),
    getAuditLog: getAuditLog(tools),
    createAuditExport: createAuditExport(tools),
    downloadAuditExport: downloadAuditExport(tools),
    getJob: getJob(tools),
    verifyAuditChain: verifyAuditChain(tools),
  }) satisfies Handlers<typeof auditLogs & typeof jobOperations & Pick<typeof internalAdmin, 'verifyAuditChain'>, Tx>;
