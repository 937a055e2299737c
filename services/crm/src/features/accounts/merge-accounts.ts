import { unknownId } from '@tandem/contract';
import { accountDeleted, accountMergeFields, type accountMerges, accountUpdated } from '@tandem/crm-contract';
import { diff, fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { mergedCustomFields } from '../custom-fields/merged-values.ts';
import { claimValues, customWrite, releaseAllValues } from '../custom-fields/write-values.ts';
import { type AccountFields, type AccountRecord, asAccount, checkUnique, writeAccount } from './account.ts';
import { moveAccountRecords } from './move-account-records.job.ts';

const tagsMax = 50;

type Row = typeof accountMerges.mergeAccounts;
type Body = z.output<Row['body']>;
type Merge = z.output<Row['reply']>;

export const mergeAccounts: Handler<Row> = {
  async check({ params, body, tx, under }) {
    const mergeIds = [...new Set(body.mergeIds)];
    if (mergeIds.includes(params.id)) throw fail('merge_with_itself');
    const where = { id: { in: mergeIds } };
    // They are deleted, so the caller needs to be able to delete each of them.
    const deletable = await under('accounts:delete', () => tx.account.count({ where }));
    if (deletable < mergeIds.length) throw failField('mergeIds', unknownId('account'));
    const chosen = Object.entries(body.fieldChoices ?? {});
    const foreign = chosen.filter(([, id]) => id !== undefined && id !== params.id && !mergeIds.includes(id));
    if (foreign.length)
      throw fail(
        'validation_failed',
        foreign.map(([field]) => ({ field: `fieldChoices.${field}`, message: unknownId('account') })),
      );
  },
  async run({ params, body, tx, emit, schedule, ifMatch, message }) {
    const mergedIds = [...new Set(body.mergeIds)];
    const [survivor, merged] = await lockAll(tx, params.id, mergedIds);
    ifMatch(survivor);
    const parentAccountId = await parentOf(tx, survivor, merged);
    const { values, conflicts } = combine(survivor, merged, body);
    const { isEmpty, values: changed, audit } = diff(survivor, { ...values, parentAccountId });
    const moved = await countMoved(tx, mergedIds);
    const ids = mergedIds.toSorted((one, other) => one - other);
    if (body.dryRun) {
      message('Merge previewed');
      return { survivor: { ...survivor, ...changed }, mergedIds: ids, moved, conflicts };
    }
    // First, because the survivor may get the domain of a merged account.
    for (const { id: accountId } of merged.toSorted((one, other) => one.id - other.id)) {
      const [row] = await tx.account.updateManyAndReturn({
        where: { id: accountId },
        data: { deletedAt: new Date(), mergedIntoId: survivor.id, version: { increment: 1 } },
      });
      if (!row) throw fail('not_found');
      await releaseAllValues(tx, 'account', accountId);
      emit(accountDeleted, { data: { accountId, mergedIntoId: survivor.id }, record: asAccount(row) });
    }
    await checkUnique(tx, changed, survivor.id);
    const { customFields: after } = changed;
    // Each value was accepted for one of the accounts before.
    const custom = after && (await customWrite(tx, 'account', { after, before: after }));
    if (custom) await claimValues(tx, custom, survivor.id);
    const updated = isEmpty ? survivor : await writeAccount(tx, survivor.id, changed, custom?.columns);
    if (!isEmpty) {
      const data = { accountId: survivor.id, fields: Object.keys(changed) };
      emit(accountUpdated, { data, record: updated, changes: audit });
    }
    await schedule(moveAccountRecords, [{ survivorId: survivor.id, mergedIds: ids }]);
    return { survivor: updated, mergedIds: ids, moved, conflicts };
  },
};

/** Locks the accounts in the order of their ids: of two merges with the same account, one waits and then finds it merged. */
async function lockAll(tx: Tx, survivorId: number, mergedIds: number[]): Promise<[AccountRecord, AccountRecord[]]> {
  const found = new Map<number, AccountRecord>();
  for (const id of [survivorId, ...mergedIds].toSorted((one, other) => one - other)) {
    const row = await tx.account.lockFirst({ where: { id } });
    if (row?.mergedIntoId) throw fail('already_merged');
    if (row && !row.deletedAt) found.set(id, asAccount(row));
  }
  const survivor = found.get(survivorId);
  if (!survivor) throw fail('not_found');
  const merged = mergedIds.flatMap((id) => found.get(id) ?? []);
  if (merged.length < mergedIds.length) throw failField('mergeIds', unknownId('account'));
  return [survivor, merged];
}

/** The parent of the survivor: a merged account cannot be it, and none further up, because its subsidiaries move. */
async function parentOf(tx: Tx, survivor: AccountRecord, merged: AccountRecord[]): Promise<number | null> {
  const mergedIds = merged.map(({ id }) => id);
  let parentId = survivor.parentAccountId;
  const seen = new Set([survivor.id]);
  while (parentId !== null && mergedIds.includes(parentId) && !seen.has(parentId)) {
    seen.add(parentId);
    parentId = merged.find(({ id }) => id === parentId)?.parentAccountId ?? null;
  }
  if (parentId === null || seen.has(parentId)) return null;
  const [above] = await tx.sql`
    WITH RECURSIVE above (id, parent, level) AS (
      SELECT id, parent_account_id, 1 FROM account WHERE id = ${parentId}
      UNION ALL
      SELECT account.id, parent_account_id, level + 1 FROM above JOIN account ON account.id = above.parent
      WHERE level < 100)
    SELECT id FROM above WHERE id = ANY(${mergedIds}::bigint[]) LIMIT 1`;
  if (above) {
    const message = 'Contains a parent of the parent company; merge into that account instead';
    throw fail('parent_loop', [{ field: 'mergeIds', message }]);
  }
  return parentId;
}

/** The fields of the survivor with the values of all accounts, and the fields that have several values. */
function combine(
  survivor: AccountRecord,
  merged: AccountRecord[],
  { fieldChoices = {} }: Body,
): { values: AccountFields; conflicts: Merge['conflicts'] } {
  const all = [survivor, ...merged];
  const values: Record<string, unknown> = {};
  const conflicts: Merge['conflicts'] = [];
  for (const field of accountMergeFields) {
    const holders = all.filter((one) => one[field] !== null);
    const chosen = all.find(({ id }) => id === fieldChoices[field]) ?? holders[0] ?? survivor;
    values[field] = chosen[field];
    if (new Set(holders.map((one) => one[field])).size < 2) continue;
    const options = holders.map((one) => ({ accountId: one.id, value: { [field]: one[field] } }));
    conflicts.push({ field, chosenAccountId: chosen.id, options });
  }
  const firstLast = all.toReversed();
  const present = (address: AccountRecord['address']) =>
    Object.fromEntries(Object.entries(address).filter(([, part]) => part !== null));
  return {
    values: {
      ...values,
      tags: [...new Set(all.flatMap(({ tags }) => tags))].slice(0, tagsMax),
      customFields: mergedCustomFields(all),
      address: Object.assign({}, survivor.address, ...firstLast.map(({ address }) => present(address))),
    },
    conflicts,
  };
}

/** Counts also what the caller cannot access, because it moves too. */
async function countMoved(tx: Tx, ids: number[]): Promise<Merge['moved']> {
  const [counts] = await tx.sql<Merge['moved']>`
    SELECT (SELECT count(*) FROM lead WHERE account_id = ANY(${ids}::bigint[]) AND deleted_at IS NULL) AS leads,
      (SELECT count(*) FROM opportunity WHERE account_id = ANY(${ids}::bigint[])) AS opportunities,
      (SELECT count(*) FROM account WHERE parent_account_id = ANY(${ids}::bigint[]) AND deleted_at IS NULL) AS subsidiaries,
      (SELECT count(*) FROM activity WHERE account_id = ANY(${ids}::bigint[])) AS activities`;
  return counts ?? { leads: 0, opportunities: 0, subsidiaries: 0, activities: 0 };
}
