import { accountUpdated } from '@tandem/crm-contract';
import { ApiError, diff } from '@tandem/service';
import { type AccountRecord, asAccount, checkUnique, writeAccount } from '../accounts/account.ts';
import { removeAccount } from '../accounts/delete-account.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import { lockRecords } from './lock-records.ts';
import type { Batch, Outcome, Undone } from './target.ts';

type Undoable = Extract<Outcome, { action: 'created' | 'updated' }>;

/** Deletes the accounts that were created, and restores those that were updated. One that a rule protects is kept. */
export async function undoAccounts(outcomes: readonly Outcome[], batch: Batch): Promise<Undone> {
  const undone: Undone = { deleted: 0, restored: 0, kept: 0 };
  await lockRecords(
    batch.tx,
    'account',
    outcomes.flatMap((one) => ('id' in one ? [one.id] : [])),
  );
  for (const outcome of outcomes.toReversed()) {
    if (outcome.action !== 'created' && outcome.action !== 'updated') continue;
    undone[await undoOne(outcome, batch)] += 1;
  }
  return undone;
}

async function undoOne(outcome: Undoable, batch: Batch): Promise<keyof Undone> {
  const row = await batch.tx.account.lockFirst({ where: { id: outcome.id } });
  if (!row || row.deletedAt) return 'kept';
  try {
    if (outcome.action === 'updated') return (await isRestored(asAccount(row), outcome, batch)) ? 'restored' : 'kept';
    await removeAccount(batch, row.id);
    return 'deleted';
  } catch (error) {
    // It has open deals, or another account has taken a unique value since.
    if (error instanceof ApiError) return 'kept';
    throw error;
  }
}

/** Restores the fields of an account, unless one of them was changed since. */
async function isRestored(
  account: AccountRecord,
  { before, after }: Extract<Outcome, { action: 'updated' }>,
  { tx, emit }: Pick<Batch, 'tx' | 'emit'>,
): Promise<boolean> {
  if (!diff(account, after).isEmpty) return false;
  const { values, audit, isEmpty } = diff(account, before as Partial<AccountRecord>);
  if (isEmpty) return true;
  const { id: accountId } = account;
  // Checked first, because a unique violation would abort the transaction of the whole chunk.
  await checkUnique(tx, values, accountId);
  const { customFields } = values;
  const custom =
    customFields && (await customWrite(tx, 'account', { after: customFields, before: account.customFields }));
  if (custom) await claimValues(tx, custom, accountId);
  const record = await writeAccount(tx, accountId, values, custom?.columns);
  emit(accountUpdated, { data: { accountId, fields: Object.keys(values) }, record, changes: audit });
  return true;
}
