import { teamMembersChanged, type teams } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { endLead } from './lead.ts';
import { touchTeams } from './members.ts';
import { checkTeamReach, recordsToFollow } from './reach.ts';
import { lockTeam } from './team.ts';

export const removeTeamMember =
  (tools: Tools): Handler<typeof teams.removeTeamMember> =>
  async ({ params, caller, tx, emit, afterCommit }) => {
    const { userId } = params;
    const team = await lockTeam(tx, params.id);
    await checkTeamReach(tx, caller, [team.id], 'id');
    const { count } = await tx.teamMember.deleteMany({ where: { teamId: team.id, userId } });
    if (!count) throw fail('not_found');
    await touchTeams(tx, [team.id]);
    await endLead(tx, emit, { userId, teamIds: [team.id] });
    const follow = await recordsToFollow(tx, caller, [userId]);
    emit(teamMembersChanged, { data: { teamId: team.id, added: [], removed: [userId], follow }, record: team });
    afterCommit(() => tools.invalidateCredentials({ tenantId: team.tenantId, userIds: [userId] }));
    return { id: userId, deleted: true };
  };
