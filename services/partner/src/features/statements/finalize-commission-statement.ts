import { actingUserId } from '@tandem/caller';
import type { statements } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Statement as StatementRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { finalizeStatements } from './finalize-statements.ts';
import { findStatement, showStatement } from './statement.ts';

export const finalizeCommissionStatement =
  (tools: Tools): Handler<typeof statements.finalizeCommissionStatement> =>
  async ({ params, caller, tx, emit }) => {
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    const row = await findStatement(tx, params, { lock: true });
    const before = await showStatement(tx, row, { tools, scope });
    if (before.status === 'final') throw fail('already_final');
    if (before.periodEnd > new Date()) throw fail('period_not_over');
    const [finalized] = await finalizeStatements({ tx, emit }, [row], { finalizedBy: actingUserId(caller) ?? null });
    return showStatement(tx, finalized as StatementRow, { tools, scope });
  };
