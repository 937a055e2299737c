import { auditLogs } from '@tandem/identity-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { listAuditLogs } from './list-audit-logs.ts';

/** The lists of identity that other services export. */
export const readRecordPage = (tools: Tools) =>
  recordPagesHandler([{ row: auditLogs.listAuditLogs, handler: listAuditLogs(tools) }]);
