import type { auditLogs } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asAuditLog, visibleTo } from './audit-log.ts';

export const getAuditLog =
  ({ ids }: Tools): Handler<typeof auditLogs.getAuditLog> =>
  async ({ params, caller, tx }) => {
    const row = await tx.auditLog.findFirst({ where: { id: params.id, ...visibleTo(caller) } });
    if (!row) throw fail('not_found');
    return asAuditLog(row, ids);
  };
