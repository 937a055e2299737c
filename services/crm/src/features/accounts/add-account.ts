import { actingUserId, type Caller } from '@tandem/caller';
import { accountCreated, type accounts } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, defaultTeam, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { customWrite, reserveValues } from '../custom-fields/write-values.ts';
import { type AccountRecord, asAccount, checkParent, checkUnique, fullAddress, takenError } from './account.ts';

type Body = z.output<typeof accounts.createAccount.body>;

/** Creates an account with its event. Errors of rules are thrown before the first write. */
export async function addAccount(
  { tx, emit }: { tx: Tx; emit: Emit },
  { body, caller, owner }: { body: Body; caller: Caller; owner: Pick<Assignee, 'id' | 'teamIds'> | undefined },
): Promise<AccountRecord> {
  const { teamId = defaultTeam(caller, owner), customFields = {}, address, tags = [], name, ...others } = body;
  await checkUnique(tx, others);
  if (others.parentAccountId) await checkParent(tx, others.parentAccountId);
  const custom = await customWrite(tx, 'account', { after: customFields });
  const reserved = await reserveValues(tx, 'account', custom);
  const userId = actingUserId(caller) ?? null;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  const data = {
    ...given,
    name,
    tags,
    teamId,
    ownerId: others.ownerId === undefined ? userId : others.ownerId,
    address: fullAddress(address ?? null),
    customFields: toJsonColumn(customFields),
    ...custom.columns,
    ...reserved,
    createdBy: userId,
  };
  const row = await tx.account.create({ data }).catch((error: unknown) => {
    throw takenError(error);
  });
  const account = asAccount(row);
  emit(accountCreated, { data: { accountId: account.id }, record: account });
  return account;
}
