import type { StatementKey, Tx } from '../../handler.ts';

/** An entry of a statement. */
export interface StatementEntry {
  at: Date;
  entryId: number;
  /** The commission. */
  id: number;
  entry: string;
  /** Change of the balance in minor units. */
  amount: number;
  basis: number | null;
  /** Whether the commission was cancelled or paid by the end of the statement. */
  status: 'unpaid' | 'cancelled' | 'paid';
  opportunityId: number | null;
  rate: number | null;
  reason: string | null;
}

/**
 * Reads a page of entries after `last`, oldest first. The opening balance plus all entries is the closing balance. Only the
 * ledger and what never changes of a commission is read, so the entries of a final statement stay as they are.
 */
export async function readEntries(
  tx: Tx,
  { partnerId, period, currency }: StatementKey,
  { last, limit }: { last?: StatementEntry | undefined; limit: number },
): Promise<StatementEntry[]> {
  const after = last ?? { at: new Date(0), entryId: 0 };
  return tx.sql<StatementEntry>`
    SELECT entry.created_at AS at, entry.id AS "entryId", commission.id, entry.kind AS entry, entry.amount_minor AS amount,
      basis_minor AS basis, opportunity_id AS "opportunityId", rate, entry.reason,
      coalesce((SELECT CASE kind WHEN 'payment' THEN 'paid' ELSE 'cancelled' END FROM ledger_entry AS last
        WHERE last.commission_id = commission.id AND last.kind IN ('payment', 'cancellation') AND last.period <= entry.period
        LIMIT 1), 'unpaid') AS status
    FROM ledger_entry AS entry JOIN commission ON commission.id = entry.commission_id
    WHERE entry.partner_id = ${partnerId} AND entry.currency = ${currency} AND entry.period = ${period}
      AND (entry.created_at, entry.id) > (${after.at}, ${after.entryId})
    ORDER BY entry.created_at, entry.id LIMIT ${limit}`;
}
