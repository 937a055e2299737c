import { type accounts, accountUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type Assignee, diff, teamOfAssignee } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { claimValues, customWrite } from '../custom-fields/write-values.ts';
import {
  type AccountFields,
  type AccountRecord,
  checkParent,
  checkUnique,
  fullAddress,
  writeAccount,
} from './account.ts';

type Change = z.output<typeof accounts.updateAccount.body>;

/** Writes a change of a locked account with its event; one that changes nothing is none. */
export async function changeAccount(
  { tx, emit }: { tx: Tx; emit: Emit },
  {
    account,
    change,
    owner,
  }: { account: AccountRecord; change: Change; owner: Pick<Assignee, 'id' | 'teamIds'> | undefined },
): Promise<AccountRecord> {
  const { isEmpty, values, audit } = diff(account, withTeam(account, change, owner));
  if (isEmpty) return account;
  await checkUnique(tx, values, account.id);
  if (values.parentAccountId) await checkParent(tx, values.parentAccountId, account.id);
  const { customFields: after } = values;
  const custom = after && (await customWrite(tx, 'account', { after, before: account.customFields }));
  if (custom) await claimValues(tx, custom, account.id);
  const updated = await writeAccount(tx, account.id, values, custom?.columns);
  const data = { accountId: account.id, fields: Object.keys(values) };
  emit(accountUpdated, { data, record: updated, changes: audit });
  return updated;
}

/** An account follows a new owner into their team, unless the request names a team. */
function withTeam(
  account: AccountRecord,
  { address, ...fields }: Change,
  owner: Pick<Assignee, 'id' | 'teamIds'> | undefined,
): AccountFields {
  const change = { ...fields, ...(address !== undefined && { address: fullAddress(address) }) };
  if (!owner || owner.id === account.ownerId || change.teamId !== undefined) return change;
  return { ...change, teamId: teamOfAssignee(owner.teamIds, account.teamId) };
}
