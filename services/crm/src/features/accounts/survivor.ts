import type { Tx } from '../../handler.ts';

const mergesMax = 20;

/**
 * The account that this one was merged into, through several merges; the account itself if it was not. Held until the end of
 * the transaction, so that it is not merged meanwhile. Read by SQL, because it does not depend on what the caller may read.
 */
export async function survivorOf(tx: Tx, accountId: number): Promise<number> {
  let current = accountId;
  for (let step = 0; step < mergesMax; step++) {
    const [account] = await tx.sql<{ mergedIntoId: number | null }>`
      SELECT merged_into_id AS "mergedIntoId" FROM account WHERE id = ${current} FOR KEY SHARE`;
    if (!account?.mergedIntoId) return current;
    current = account.mergedIntoId;
  }
  return current;
}
