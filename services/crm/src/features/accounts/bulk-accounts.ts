import type { Caller } from '@tandem/caller';
import { accounts } from '@tandem/crm-contract';
import { type Assignee, checkUser } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Peers, Tx } from '../../handler.ts';
import { listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { listedAccounts } from './list-accounts.ts';

/** How bulk operations select accounts: by their ids, or by the filters of their list. */
export const ofAccounts = {
  type: 'account',
  model: (tx: Tx) => tx.account,
  listed: async (filter: Parameters<typeof listedAccounts>[0], tx: Tx) =>
    listedAccounts(filter, (await listByCustomFields(tx, 'account', filter, 'filter.')).conditions),
  readPermission: accounts.listAccounts.permission,
} as const;

interface Owned {
  ownerId?: number | null | undefined;
  teamId?: number | null | undefined;
}

/**
 * The new owner, if a change names one; fails unless owner and team can be used.
 * @param within the place of the change in the body, for field errors: `change.`
 */
export async function checkOwner(
  peers: Peers,
  { ownerId, teamId }: Owned,
  caller: Caller,
  within = '',
): Promise<Assignee | undefined> {
  const owner = await checkUser(peers, `${within}ownerId`, ownerId, caller);
  await checkTeam(peers, teamId, caller, `${within}teamId`);
  return owner;
}

/** The owners that items name, by id. Each user and team is read once. */
export async function checkOwners(
  peers: Peers,
  items: readonly Owned[],
  caller: Caller,
): Promise<Map<number, Assignee>> {
  const owners = new Map<number, Assignee>();
  const teams = new Set<number>();
  for (const [index, { ownerId, teamId }] of items.entries()) {
    const isKnown = !ownerId || owners.has(ownerId);
    const isTeamKnown = !teamId || teams.has(teamId);
    const asked = { ownerId: isKnown ? null : ownerId, teamId: isTeamKnown ? null : teamId };
    const owner = await checkOwner(peers, asked, caller, `items.${index}.`);
    if (owner) owners.set(owner.id, owner);
    if (teamId) teams.add(teamId);
  }
  return owners;
}
