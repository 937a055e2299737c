import { idInText } from '@tandem/contract';
import { Account, Address, accountLevelsMax } from '@tandem/crm-contract';
import { fail, failField, storedObject, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Account as AccountRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { CustomWrite } from '../custom-fields/write-values.ts';

export type AccountRecord = z.output<typeof Account>;
type AddressInput = { [Part in keyof AccountRecord['address']]?: string | null | undefined };
export type AccountFields = { [Field in keyof AccountRecord]?: AccountRecord[Field] | undefined };

const columns = Account.pick({}).extend({ customFields: storedObject, address: Address.partial() });

/** Converts a row to the contract's `Account`. */
export function asAccount(row: AccountRow): AccountRecord {
  const { customFields, address } = columns.parse(row);
  return { ...row, customFields, address: fullAddress(address) };
}

/** An address with all of its parts; null for those that are not given. */
export function fullAddress(address: AddressInput | null): AccountRecord['address'] {
  const { street = null, city = null, postalCode = null, region = null, country = null } = address ?? {};
  return { street, city, postalCode, region, country };
}

/** Locks the account, so that checks on it still hold when it is written. */
export async function lockAccount(
  tx: Tx,
  id: number,
  state: 'present' | 'deleted' = 'present',
): Promise<AccountRecord> {
  const row = await tx.account.lockFirst({ where: { id } });
  if (!row || (state === 'present' && row.deletedAt)) throw fail('not_found');
  if (state === 'deleted' && !row.deletedAt) throw fail('not_deleted');
  return asAccount(row);
}

/**
 * Writes changes to a locked account as its next version.
 * @param columns the columns of `customWrite`
 */
export async function writeAccount(
  tx: Tx,
  id: number,
  { customFields, address, ...fields }: AccountFields & { deletedAt?: Date | null },
  columns: CustomWrite['columns'] = {},
): Promise<AccountRecord> {
  const data = {
    ...(fields as Parameters<Tx['account']['updateManyAndReturn']>[0]['data']),
    ...(customFields && { customFields: toJsonColumn(customFields), ...columns }),
    ...(address && { address }),
    version: { increment: 1 },
  };
  try {
    const [row] = await tx.account.updateManyAndReturn({ where: { id }, data });
    if (!row) throw fail('not_found');
    return asAccount(row);
  } catch (error) {
    throw takenError(error);
  }
}

/**
 * The id of an account to which an open deal is added; null if it was deleted. The lock lasts until the end of the
 * transaction, so that the account is not deleted meanwhile.
 */
export async function holdAccount(tx: Tx, id: number | null): Promise<number | null> {
  if (id === null) return null;
  const [account] = await tx.sql<{ id: number }>`
    SELECT id FROM account WHERE id = ${id} AND deleted_at IS NULL FOR KEY SHARE`;
  return account?.id ?? null;
}

/** Fails if another account has the domain or the `externalId`, also one that the caller cannot read. */
export async function checkUnique(
  tx: Tx,
  { domain, externalId }: Pick<AccountFields, 'domain' | 'externalId'>,
  ownId = 0,
): Promise<void> {
  if (!domain && !externalId) return;
  const others = await tx.sql<{ id: number; domain: string | null }>`
    SELECT id, domain FROM account
    WHERE domain = ${domain ?? null} AND deleted_at IS NULL AND id <> ${ownId}
    UNION ALL
    SELECT id, NULL FROM account
    WHERE external_id = ${externalId ?? null} AND deleted_at IS NULL AND id <> ${ownId}`;
  const [other] = others;
  if (!other) return;
  const isVisible = (await tx.account.count({ where: { id: other.id } })) > 0;
  const which = isVisible ? `the account ${idInText('account', other.id)}` : 'another account';
  const field = other.domain === null ? 'externalId' : 'domain';
  const code = other.domain === null ? 'external_id_taken' : 'domain_taken';
  throw fail(code, [{ field, message: `Must be unique; ${which} has it` }]);
}

/** Converts a unique violation, for two requests at once; returns any other error unchanged. */
export function takenError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  const isDomain = (error as Error).message.includes('account_domain');
  const field = isDomain ? 'domain' : 'externalId';
  const code = isDomain ? 'domain_taken' : 'external_id_taken';
  return fail(code, [{ field, message: 'Must be unique; another account has it' }]);
}

/**
 * Fails if the parent is the account itself or one of its subsidiaries, or if there were too many levels. Parents change
 * one after another within a tenant, because two changes at once could form a loop together.
 */
export async function checkParent(tx: Tx, parentId: number, ownId = 0): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('account_parent',
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const above = await tx.sql<{ id: number }>`
    WITH RECURSIVE above (id, parent, level) AS (
      SELECT id, parent_account_id, 1 FROM account WHERE id = ${parentId}
      UNION ALL
      SELECT account.id, parent_account_id, level + 1 FROM above JOIN account ON account.id = above.parent
      WHERE level <= ${accountLevelsMax})
    SELECT id FROM above`;
  if (above.some(({ id }) => id === ownId)) {
    throw fail('parent_loop', [{ field: 'parentAccountId', message: 'Must not be the account or a subsidiary of it' }]);
  }
  const below = ownId ? await levelsBelow(tx, ownId) : 0;
  if (above.length + 1 + below > accountLevelsMax)
    throw failField('parentAccountId', `Must leave at most ${accountLevelsMax} levels of companies`);
}

async function levelsBelow(tx: Tx, id: number): Promise<number> {
  const [{ levels } = { levels: 0 }] = await tx.sql<{ levels: number }>`
    WITH RECURSIVE below (id, level) AS (
      SELECT id, 1 FROM account WHERE parent_account_id = ${id} AND deleted_at IS NULL
      UNION ALL
      SELECT account.id, level + 1 FROM below JOIN account ON account.parent_account_id = below.id
      WHERE level < ${accountLevelsMax} AND account.deleted_at IS NULL)
    SELECT coalesce(max(level), 0) AS levels FROM below`;
  return levels;
}
