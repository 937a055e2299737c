import type { Tx } from '../../handler.ts';
import { ledgerStateOf, postToLedger } from './post-to-ledger.ts';

const portion = 1_000;

/**
 * Posts the changes of a partner's commissions that the ledger lacks: those that the release before the ledger has written,
 * also while both releases run. The partial index `commission_unposted` finds them.
 */
export async function postMissing(tx: Tx, partnerId: number): Promise<void> {
  for (;;) {
    const missing = await tx.sql<{ id: number }>`
      SELECT id FROM commission WHERE partner_id = ${partnerId}
        AND (ledger_state IS NULL OR (status = 'cancelled' AND ledger_state = 'recorded'))
      ORDER BY id LIMIT ${portion} FOR NO KEY UPDATE`;
    if (!missing.length) return;
    const rows = await tx.commission.findMany({ where: { id: { in: missing.map(({ id }) => id) } } });
    await postToLedger(tx, rows);
    for (const state of new Set(rows.map(({ status }) => ledgerStateOf(status)))) {
      const ids = rows.filter(({ status }) => ledgerStateOf(status) === state).map(({ id }) => id);
      await tx.sql`UPDATE commission SET ledger_state = ${state} WHERE id = ANY(${ids}::bigint[])`;
    }
  }
}
