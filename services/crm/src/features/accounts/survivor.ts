import type { Tx } from '../../handler.ts';
import { holdAccount } from './account.ts';

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

/** The account of a deal that is open again: the one that it was merged into, and none if it was deleted meanwhile. */
export async function presentAccount(tx: Tx, accountId: number | null): Promise<number | null> {
  return accountId === null ? null : holdAccount(tx, await survivorOf(tx, accountId));
}
