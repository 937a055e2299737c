import type { Caller } from '@tandem/caller';
import { type Assignee, checkUser } from '@tandem/service';
import { checkTeam } from './check-team.ts';
import type { Peers } from './handler.ts';

/**
 * The new assignee, if the change names one; fails unless assignee and team can be used.
 * @param within the place of the change in the body, for field errors: `change.`
 */
export async function checkAssignment(
  peers: Peers,
  { assignedTo, teamId }: { assignedTo?: number | null | undefined; teamId?: number | null | undefined },
  caller: Caller,
  within = '',
): Promise<Assignee | undefined> {
  const assignee = await checkUser(peers, `${within}assignedTo`, assignedTo, caller);
  await checkTeam(peers, teamId, caller, `${within}teamId`);
  return assignee;
}
