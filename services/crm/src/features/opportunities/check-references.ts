import type { Caller } from '@tandem/caller';
import { type Assignee, checkUser } from '@tandem/service';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import type { Peers } from '../../handler.ts';

interface References {
  ownerId?: number | null | undefined;
  teamId?: number | null | undefined;
  partnerId?: number | null | undefined;
}

/**
 * The new owner, if the change names one; fails unless owner, team and partner can be used.
 * @param within the place of the change in the body, for field errors: `change.`
 */
export async function checkReferences(
  peers: Peers,
  { ownerId, teamId, partnerId }: References,
  caller: Caller,
  within = '',
): Promise<Assignee | undefined> {
  const owner = await checkUser(peers, `${within}ownerId`, ownerId, caller);
  await checkTeam(peers, teamId, caller, `${within}teamId`);
  await checkPartner(peers, partnerId, caller, `${within}partnerId`);
  return owner;
}
