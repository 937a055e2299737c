import { actingUserId } from '@tandem/caller';
import { statementFinalized, type statements } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Statement as StatementRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { findStatement, showStatement, withoutLinks } from './statement.ts';

export const finalizeCommissionStatement =
  (tools: Tools): Handler<typeof statements.finalizeCommissionStatement> =>
  async ({ params, caller, tx, emit }) => {
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    const row = await findStatement(tx, params, { lock: true });
    const before = await showStatement(tx, row, { tools, scope });
    if (before.status === 'final') throw fail('already_final');
    const now = new Date();
    if (before.periodEnd > now) throw fail('period_not_over');
    const [finalized] = await tx.statement.updateManyAndReturn({
      where: { id: row.id },
      data: { finalizedAt: now, finalizedBy: actingUserId(caller) ?? null },
    });
    const statement = await showStatement(tx, finalized as StatementRow, { tools, scope });
    emit(statementFinalized, {
      data: { statementId: row.id, partnerId: row.partnerId },
      record: withoutLinks(statement),
      changes: { status: { from: before.status, to: statement.status } },
    });
    return statement;
  };
