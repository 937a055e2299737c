import type { ReferralCode as CodeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { usesOf } from './code.ts';

/** A code, and how many leads it has attributed; 0 without a limit, because only limited uses are counted. */
export interface CodeUse {
  row: CodeRow;
  uses: number;
}

/**
 * Reads codes that are about to attribute leads. Those with a limit are locked, so that concurrent requests do not exceed it; in
 * the order of ids, so that two transactions cannot wait for each other.
 */
export async function lockUses(tx: Tx, codes: readonly string[]): Promise<Map<string, CodeUse>> {
  const names = [...new Set(codes)];
  if (!names.length) return new Map();
  const limited = await tx.sql<{ code: string }>`
    SELECT code FROM referral_code WHERE code = ANY(${names}) AND max_uses IS NOT NULL ORDER BY id FOR NO KEY UPDATE`;
  // Read after the lock, because another request may have used or changed a code meanwhile.
  const rows = await tx.referralCode.findMany({ where: { code: { in: names } } });
  const uses = await usesOf(
    tx,
    limited.map(({ code }) => code),
  );
  return new Map(rows.map((row) => [row.code, { row, uses: uses.get(row.code) ?? 0 }]));
}
