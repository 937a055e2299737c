import { unknownId } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { teamMembersChanged } from '@tandem/identity-contract';
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

/** Of some users of the tenant, those that exist. */
export async function knownUsers(tx: Tx, userIds: readonly number[]): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  const rows = await tx.user.findMany({ where: { id: { in: [...userIds] } }, select: { id: true } });
  return new Set(rows.map(({ id }) => id));
}

/** Refuses a list of ids for each one that is not known. */
export function checkKnown(
  known: ReadonlySet<number>,
  ids: readonly number[],
  { field, type }: { field: string; type: 'user' | 'team' | 'role' },
): void {
  const errors = ids
    .map((id, index) => ({ id, field: `${field}.${index}`, message: unknownId(type) }))
    .filter(({ id }) => !known.has(id));
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
