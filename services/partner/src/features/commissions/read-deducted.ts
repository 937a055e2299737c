import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** How much of commissions was taken back before, in minor units: a person may have clawed back a part. */
export async function readDeducted(tx: Tx, commissions: readonly CommissionRow[]): Promise<Map<number, number>> {
  if (!commissions.length) return new Map();
  const rows = await tx.sql<{ id: number; minor: number }>`
    SELECT original_commission_id AS id, -sum(amount_minor)::bigint AS minor FROM commission
    WHERE original_commission_id = ANY(${commissions.map(({ id }) => id)}::bigint[]) AND status <> 'cancelled' GROUP BY 1`;
  return new Map(rows.map(({ id, minor }) => [id, minor]));
}
