import { actingUserId, type Caller } from '@tandem/caller';
import { type Assignee, defaultTeam, teamOfAssignee } from '@tandem/service';

/** Columns of a new record that tell to whom it belongs: by default to the acting user. */
export function ownerColumns(caller: Caller, ownerId: number | null | undefined, owner: Assignee | undefined) {
  const createdBy = actingUserId(caller) ?? null;
  return { createdBy, ownerId: ownerId === undefined ? createdBy : ownerId, teamId: defaultTeam(caller, owner) };
}

/** The change of a record's team that a change of its owner causes: the record follows a new owner into their team. */
export function teamChange(
  before: { ownerId: number | null; teamId: number | null },
  owner: Assignee | undefined,
): { teamId?: number | null } {
  if (!owner || owner.id === before.ownerId) return {};
  return { teamId: teamOfAssignee(owner.teamIds, before.teamId) };
}
