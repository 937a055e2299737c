import { type Caller, onlyTeamOf } from '@tandem/caller';

/**
 * The team of a record that follows its assignee: their only team; the team that it has, if the assignee is in it; else
 * none, because it cannot be known for which of their teams they work on it.
 */
export function teamOfAssignee(teamsOfAssignee: readonly number[], current: number | null): number | null {
  if (teamsOfAssignee.length === 1) return teamsOfAssignee[0] as number;
  return current !== null && teamsOfAssignee.includes(current) ? current : null;
}

/** The team of a new record if the request names none: that of its assignee, else the caller's only team. */
export function defaultTeam(caller: Caller, assignee: { teamIds: readonly number[] } | undefined): number | null {
  const team = onlyTeamOf(caller);
  return assignee ? teamOfAssignee(assignee.teamIds, team) : team;
}
