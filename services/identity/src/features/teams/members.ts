import { unknownId } from '@tandem/contract';
import { teamsOfUserMax } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Adds users to a team; returns those who were not members yet. */
export async function addMembers(tx: Tx, teamId: number, userIds: readonly number[]): Promise<number[]> {
  if (!userIds.length) return [];
  const added = await tx.teamMember.createManyAndReturn({
    data: userIds.map((userId) => ({ teamId, userId })),
    skipDuplicates: true,
  });
  return added.map(({ userId }) => userId);
}

/**
 * Locks the users that exist and returns their ids, so that nobody else adds them to a team before the commit. Users
 * are locked in id order and before teams, to prevent deadlocks.
 */
export async function lockUsers(tx: Tx, userIds: readonly number[]): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM "user" WHERE id = ANY(${userIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Locks teams whose members change, and increments their version. Called before their rows of `team_member` are
 * inserted: the foreign key of these rows takes a shared lock on the team, and two transactions that both hold it would
 * wait for each other. Locked in id order, and not against foreign keys, for the same reason.
 * @returns the ids of the teams that still exist
 */
export async function touchTeams(tx: Tx, teamIds: readonly number[]): Promise<Set<number>> {
  if (!teamIds.length) return new Set();
  await tx.sql`SELECT id FROM team WHERE id = ANY(${teamIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const rows = await tx.team.updateManyAndReturn({
    where: { id: { in: [...teamIds] } },
    data: { version: { increment: 1 } },
  });
  return new Set(rows.map(({ id }) => id));
}

/** Users who have reached the team limit, except members of the team `teamId`. */
export async function usersAtTeamLimit(tx: Tx, userIds: readonly number[], teamId?: number): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  const rows = await tx.sql<{ user_id: number }>`
    SELECT user_id FROM team_member WHERE user_id = ANY(${userIds}) GROUP BY user_id
    HAVING count(*) >= ${teamsOfUserMax} AND NOT bool_or(team_id = ${teamId ?? 0})`;
  return new Set(rows.map((row) => row.user_id));
}

export const inTooManyTeams = `The user is already in ${teamsOfUserMax} teams, the maximum`;

/** Rejects unknown ids, with one error per id. */
export function checkKnown(
  known: ReadonlySet<number>,
  ids: readonly number[],
  { field, type }: { field: string; type: 'user' | 'team' | 'role' },
): void {
  rejectEach(ids, { field, message: unknownId(type), isRejected: (id) => !known.has(id) });
}

/** Throws a validation error with one entry per rejected id. */
export function rejectEach(
  ids: readonly number[],
  { field, message, isRejected }: { field: string; message: string; isRejected: (id: number) => boolean },
): void {
  const errors = ids
    .map((id, index) => ({ id, field: `${field}.${index}`, message }))
    .filter(({ id }) => isRejected(id));
  if (errors.length)
    throw fail(
      'validation_failed',
      errors.map(({ field, message }) => ({ field, message })),
    );
}

/** Team ids by user id. */
export async function teamIdsOf(tx: Tx, userIds: readonly number[]): Promise<Map<number, number[]>> {
  const teams = new Map<number, number[]>(userIds.map((id) => [id, []]));
  if (!userIds.length) return teams;
  const rows = await tx.teamMember.findMany({
    where: { userId: { in: [...userIds] } },
    select: { userId: true, teamId: true },
    orderBy: { teamId: 'asc' },
  });
  for (const { userId, teamId } of rows) teams.get(userId)?.push(teamId);
  return teams;
}

/** Validates team ids from a request body; returns them deduplicated and sorted. */
export async function readTeamIds(tx: Tx, input: readonly number[] | undefined): Promise<number[] | undefined> {
  if (!input?.length) return input && [];
  const rows = await tx.team.findMany({ where: { id: { in: [...input] } }, select: { id: true } });
  checkKnown(new Set(rows.map(({ id }) => id)), input, { field: 'teamIds', type: 'team' });
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}
