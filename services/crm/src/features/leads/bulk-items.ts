import type { Caller } from '@tandem/caller';
import { type Assignee, checkUser, type Under } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Peers, Tx } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';

interface References {
  accountId?: number | null | undefined;
  assignedTo?: number | null | undefined;
  teamId?: number | null | undefined;
}

interface Checking {
  body: { items: readonly References[] };
  caller: Caller;
  tx: Tx;
  under: Under;
}

/** The assignees of items by their ids; fails with the field of the first item whose user, team or account cannot be used. */
export async function checkReferences(
  peers: Peers,
  { body, caller, tx, under }: Checking,
): Promise<Map<number, Assignee>> {
  const assignees = new Map<number, Assignee>();
  const teams = new Set<number>();
  const accounts = new Set<number>();
  for (const [index, { accountId, assignedTo, teamId }] of body.items.entries()) {
    if (accountId && !accounts.has(accountId)) await checkAccount({ under, tx }, accountId, `items.${index}.accountId`);
    if (accountId) accounts.add(accountId);
    if (assignedTo && !assignees.has(assignedTo)) {
      const assignee = await checkUser(peers, `items.${index}.assignedTo`, assignedTo, caller);
      if (assignee) assignees.set(assignedTo, assignee);
    }
    if (teamId && !teams.has(teamId)) await checkTeam(peers, teamId, caller, `items.${index}.teamId`);
    if (teamId) teams.add(teamId);
  }
  return assignees;
}
