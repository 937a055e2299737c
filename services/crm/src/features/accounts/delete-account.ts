import { accountDeleted, type accounts } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { releaseAllValues } from '../custom-fields/write-values.ts';
import { lockAccount, writeAccount } from './account.ts';

export const deleteAccount: Handler<typeof accounts.deleteAccount> = async ({ params, tx, emit, ifMatch }) => {
  const account = await lockAccount(tx, params.id);
  ifMatch(account);
  await removeAccount({ tx, emit }, account.id);
  return { id: account.id, deleted: true };
};

/** Marks a locked account as deleted, with its event. Fails if it has open deals, also those that the caller cannot read. */
export async function removeAccount({ tx, emit }: { tx: Tx; emit: Emit }, accountId: number): Promise<void> {
  // Deals of accounts that were merged into this one, also through others, may still wait to be moved.
  const [open] = await tx.sql`
    WITH RECURSIVE merged (id) AS (
      SELECT ${accountId}::bigint UNION SELECT account.id FROM account JOIN merged ON merged_into_id = merged.id)
    SELECT 1 FROM opportunity WHERE account_id = ANY(ARRAY(SELECT id FROM merged))
      AND status = 'open' AND deleted_at IS NULL LIMIT 1`;
  if (open) throw fail('open_opportunities');
  const deleted = await writeAccount(tx, accountId, { deletedAt: new Date() });
  await releaseAllValues(tx, 'account', accountId);
  emit(accountDeleted, { data: { accountId, mergedIntoId: null }, record: deleted });
}
