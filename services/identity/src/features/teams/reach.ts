import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Role, User } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { isLimitedToTeams } from '../../permissions.ts';
import { teamIdsOf } from './members.ts';

/**
 * Rejects changing the members of teams in which the caller is not, if the caller is limited to team records. By adding
 * users, the caller, or a user whom they create, would reach the records of those teams; by removing them, people whom the
 * caller does not manage would lose these records.
 */
export async function checkTeamReach(
  tx: Tx,
  caller: Caller,
  teamIds: readonly number[],
  field: 'teamIds' | 'id' = 'teamIds',
): Promise<void> {
  const own = new Set(caller.teamIds ?? []);
  if (teamIds.every((id) => own.has(id)) || !(await isLimited(tx, caller))) return;
  const message = 'Your permissions are limited to team records, so you can change the members of your own teams only';
  throw fail('forbidden', [{ field, message }]);
}

/**
 * Rejects changing the password, the address or the API keys of a user who is in a team in which the caller is not, if the caller is
 * limited to team records: whoever can sign in as this user, or has their key, reaches the records of that team.
 */
export async function checkAccountReach(tx: Tx, caller: Caller, userId: number): Promise<void> {
  const own = new Set(caller.teamIds ?? []);
  const teamIds = (await teamIdsOf(tx, [userId])).get(userId) ?? [];
  if (teamIds.every((id) => own.has(id)) || !(await isLimited(tx, caller))) return;
  const message = 'Your permissions are limited to team records, and the user is in a team in which you are not';
  throw fail('forbidden', [{ field: 'id', message }]);
}

/** Whether a user may put others into these teams: one who is limited to team records, into their own teams only. */
export async function mayAddToTeams(
  tx: Tx,
  { id, role }: Pick<User, 'id'> & { role: Pick<Role, 'permissions'> },
  teamIds: readonly number[],
): Promise<boolean> {
  if (!teamIds.length || !isLimitedToTeams(role.permissions)) return true;
  const own = new Set((await teamIdsOf(tx, [id])).get(id));
  return teamIds.every((teamId) => own.has(teamId));
}

/**
 * The users whose records may follow into a team after a change of their teams: those who are in exactly one now. None if
 * the caller is limited to team records: the records would become visible to the caller, who could choose whose.
 */
export async function recordsToFollow(
  tx: Tx,
  caller: Caller,
  userIds: readonly number[],
): Promise<{ userId: number; teamId: number }[]> {
  if (!userIds.length || (await isLimited(tx, caller))) return [];
  return [...(await teamIdsOf(tx, userIds))].flatMap(([userId, [teamId, another]]) =>
    teamId === undefined || another !== undefined ? [] : [{ userId, teamId }],
  );
}

/** Whether the caller is limited to team records. A key may lack the permissions that limit its owner. */
async function isLimited(tx: Tx, caller: Caller): Promise<boolean> {
  if (isLimitedToTeams(caller.permissions)) return true;
  if (caller.type !== 'key' || caller.userId === undefined) return false;
  const owner = await tx.user.findFirst({ where: { id: caller.userId }, include: { role: true } });
  return owner !== null && isLimitedToTeams(owner.role.permissions);
}
