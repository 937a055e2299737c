import { unknownId } from '@tandem/contract';
import { teamMembersChanged, type teams } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { addMembers, inTooManyTeams, lockUsers, touchTeams, usersAtTeamLimit } from './members.ts';
import { checkTeamReach, recordsToFollow } from './reach.ts';
import { asTeam, lockTeam } from './team.ts';

export const addTeamMembers =
  (tools: Tools): Handler<typeof teams.addTeamMembers> =>
  async ({ params, body, caller, tx, emit, afterCommit }) => {
    await checkTeamReach(tx, caller, [params.id]);
    const known = await lockUsers(tx, body.userIds);
    const row = await lockTeam(tx, params.id);
    const atLimit = await usersAtTeamLimit(tx, [...known], row.id);
    const added = await addMembers(tx, row.id, [...known.difference(atLimit)]);
    if (added.length) {
      await touchTeams(tx, [row.id]);
      const follow = await recordsToFollow(tx, caller, added);
      emit(teamMembersChanged, { data: { teamId: row.id, added, removed: [], follow }, record: row });
      afterCommit(() => tools.invalidateCredentials({ tenantId: row.tenantId, userIds: added }));
    }
    const { memberCount } = await asTeam(tx, row);
    const results = body.userIds.map((id) => {
      if (!known.has(id)) return { id, success: false, error: unknownId('user') };
      return atLimit.has(id) ? { id, success: false, error: inTooManyTeams } : { id, success: true, error: null };
    });
    return { memberCount, results };
  };
