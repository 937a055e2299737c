import { unknownId } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { teamMembersChanged, teamsOfUserMax } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Puts users into a team; returns those who were not in it. */
export async function addMembers(tx: Tx, teamId: number, userIds: readonly number[]): Promise<number[]> {
  if (!userIds.length) return [];
  const added = await tx.teamMember.createManyAndReturn({
    data: userIds.map((userId) => ({ teamId, userId })),
    skipDuplicates: true,
  });
  return added.map(({ userId }) => userId);
}

/**
 * Locks those of these users that exist, and returns their ids: nobody adds them to another team before the commit. Locks
 * are taken in the order of ids, and before that of a team, so that two requests never wait for each other.
 */
export async function lockUsers(tx: Tx, userIds: readonly number[]): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM "user" WHERE id = ANY(${userIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  return new Set(rows.map(({ id }) => id));
}

/** Makes the next version of teams whose members change. */
export async function touchTeams(tx: Tx, teamIds: readonly number[]): Promise<void> {
  if (!teamIds.length) return;
  // In the order of ids: two users who change places between two teams must not wait for each other.
  await tx.sql`SELECT id FROM team WHERE id = ANY(${teamIds}::bigint[]) ORDER BY id FOR UPDATE`;
  await tx.team.updateManyAndReturn({ where: { id: { in: [...teamIds] } }, data: { version: { increment: 1 } } });
}

/** Returns those of these users who are in as many teams as allowed, not counting the team `teamId`. */
export async function fullUsers(tx: Tx, userIds: readonly number[], teamId?: number): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  const rows = await tx.sql<{ user_id: number }>`
    SELECT user_id FROM team_member WHERE user_id = ANY(${userIds}) GROUP BY user_id
    HAVING count(*) >= ${teamsOfUserMax} AND NOT bool_or(team_id = ${teamId ?? 0})`;
  return new Set(rows.map((row) => row.user_id));
}

export const inTooManyTeams = `Is in ${teamsOfUserMax} teams already, and in more nobody can be`;

/** Refuses a list of ids for each one that is not known. */
export function checkKnown(
  known: ReadonlySet<number>,
  ids: readonly number[],
  { field, type }: { field: string; type: 'user' | 'team' | 'role' },
): void {
  refuseEach(ids, { field, message: unknownId(type), isRefused: (id) => !known.has(id) });
}

/** Refuses a list of ids for each one of which something is wrong. */
export function refuseEach(
  ids: readonly number[],
  { field, message, isRefused }: { field: string; message: string; isRefused: (id: number) => boolean },
): void {
  const errors = ids
    .map((id, index) => ({ id, field: `${field}.${index}`, message }))
    .filter(({ id }) => isRefused(id));
  if (errors.length)
    throw fail(
      'validation_failed',
      errors.map(({ field, message }) => ({ field, message })),
    );
}

/** The teams of some users. */
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

/** Puts a user into exactly these teams, and tells of each team that gains or loses them. */
export async function setTeams(
  tx: Tx,
  emit: Emit<typeof teamMembersChanged>,
  { userId, before, after }: { userId: number; before: readonly number[]; after: readonly number[] },
): Promise<void> {
  const joined = after.filter((id) => !before.includes(id));
  const left = before.filter((id) => !after.includes(id));
  if (left.length) await tx.teamMember.deleteMany({ where: { userId, teamId: { in: left } } });
  if (joined.length)
    await tx.teamMember.createMany({ data: joined.map((teamId) => ({ teamId, userId })), skipDuplicates: true });
  await touchTeams(tx, [...joined, ...left]);
  for (const id of joined)
    emit(teamMembersChanged, { data: { teamId: id, added: [userId], removed: [] }, record: { id } });
  for (const id of left)
    emit(teamMembersChanged, { data: { teamId: id, added: [], removed: [userId] }, record: { id } });
}

/** The teams that a body gives a user, each once and in order. */
export async function readTeamIds(tx: Tx, given: readonly number[] | undefined): Promise<number[] | undefined> {
  if (!given?.length) return given && [];
  const rows = await tx.team.findMany({ where: { id: { in: [...given] } }, select: { id: true } });
  checkKnown(new Set(rows.map(({ id }) => id)), given, { field: 'teamIds', type: 'team' });
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}
