import type { Emit } from '@tandem/events';
import { statementFinalized } from '@tandem/partner-contract';
import type { Statement as StatementRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readMonths } from '../months/time-zone.ts';
import { asStatementRecord } from './statement.ts';
import { sumUp } from './sums.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof statementFinalized>;
}

/** Finalizes locked statements, which nothing is added to any more. */
export async function finalizeStatements(
  { tx, emit }: Inside,
  open: readonly StatementRow[],
  { finalizedBy = null }: { finalizedBy?: number | null } = {},
): Promise<StatementRow[]> {
  const now = new Date();
  const rows = await tx.statement.updateManyAndReturn({
    where: { id: { in: open.map(({ id }) => id) } },
    data: { finalizedAt: now, finalizedBy },
  });
  const [months, sums] = [await readMonths(tx), await sumUp(tx, rows)];
  for (const row of rows) {
    const record = asStatementRecord(row, sums(row), { months, now });
    emit(statementFinalized, {
      data: { statementId: row.id, partnerId: row.partnerId },
      record,
      changes: { status: { from: 'open', to: record.status } },
    });
  }
  return rows;
}
