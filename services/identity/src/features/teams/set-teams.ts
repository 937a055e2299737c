import type { Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { teamMembersChanged, type teamUpdated } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { endLead } from './lead.ts';
import { touchTeams } from './members.ts';
import { recordsToFollow } from './reach.ts';

interface TeamChange {
  /** Absent for a new user, who has no records that could follow. */
  caller?: Caller;
  userId: number;
  before: readonly number[];
  after: readonly number[];
}

/** Sets the teams of a user, and emits an event for each team joined or left. */
export async function setTeams(
  tx: Tx,
  emit: Emit<typeof teamMembersChanged | typeof teamUpdated>,
  { caller, userId, before, after }: TeamChange,
): Promise<void> {
  const joined = after.filter((id) => !before.includes(id));
  const left = before.filter((id) => !after.includes(id));
  const known = await touchTeams(tx, [...joined, ...left]);
  if (joined.some((id) => !known.has(id)))
    throw fail('conflict', [{ field: 'teamIds', message: 'A team was deleted in the meantime; leave it out' }]);
  if (left.length) await tx.teamMember.deleteMany({ where: { userId, teamId: { in: left } } });
  if (joined.length)
    await tx.teamMember.createMany({ data: joined.map((teamId) => ({ teamId, userId })), skipDuplicates: true });
  if (left.length) await endLead(tx, emit, { userId, teamIds: left });
  const follow = caller ? await recordsToFollow(tx, caller, [userId]) : [];
  for (const id of joined)
    emit(teamMembersChanged, { data: { teamId: id, added: [userId], removed: [], follow }, record: { id } });
  for (const id of left)
    emit(teamMembersChanged, { data: { teamId: id, added: [], removed: [userId], follow }, record: { id } });
}
