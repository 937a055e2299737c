import { auditLogs, teams, users } from '@tandem/identity-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { listAuditLogs } from '../audit-logs/list-audit-logs.ts';
import { listTeams } from '../teams/list-teams.ts';
import { listUsers } from '../users/list-users.ts';

/** The lists of identity that other services export. */
export const readRecordPage = (tools: Tools) =>
  recordPagesHandler([
    { row: users.listUsers, handler: listUsers },
    { row: teams.listTeams, handler: listTeams },
    { row: auditLogs.listAuditLogs, handler: listAuditLogs(tools) },
  ]);
