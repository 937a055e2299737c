import type { Tx } from '../../database.ts';
import type { Search } from '../driver.ts';

/**
 * Those of the documents that the caller may find according to their rows: the index on the server is seconds behind them, and
 * row-level security holds here whatever the server returns.
 */
export async function findable(tx: Tx, { index, owners }: Search, keys: number[]): Promise<Set<number>> {
  if (!keys.length) return new Set();
  const rows = await tx.sql<{ key: number }>`SELECT id AS key FROM document
    WHERE id = ANY(${keys}::bigint[]) AND type = ${index} AND removed_at IS NULL
      AND (${owners ?? null}::text[] IS NULL OR owners && ${owners ?? null}::text[])`;
  return new Set(rows.map(({ key }) => key));
}
