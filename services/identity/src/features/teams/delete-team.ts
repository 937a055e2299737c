import { teamDeleted, teamMembersChanged, type teams } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkTeamReach, recordsToFollow } from './reach.ts';
import { asTeam, lockTeam } from './team.ts';

export const deleteTeam =
  (tools: Tools): Handler<typeof teams.deleteTeam> =>
  async ({ params, caller, tx, emit, ifMatch, afterCommit }) => {
    const row = await lockTeam(tx, params.id);
    ifMatch(row);
    await checkTeamReach(tx, caller, [row.id], 'id');
    if (await tx.team.count({ where: { parentTeamId: row.id } })) throw fail('has_children');
    const team = await asTeam(tx, row);
    const members = await tx.teamMember.findMany({ where: { teamId: row.id }, orderBy: { userId: 'asc' } });
    const removed = members.map(({ userId }) => userId);
    await tx.team.deleteMany({ where: { id: row.id } });
    const follow = await recordsToFollow(tx, caller, removed);
    if (removed.length) emit(teamMembersChanged, { data: { teamId: row.id, added: [], removed, follow }, record: row });
    emit(teamDeleted, { data: { teamId: row.id, name: row.name }, record: team });
    afterCommit(() => tools.invalidateCredentials({ tenantId: row.tenantId, userIds: removed }));
    return { id: row.id, deleted: true };
  };
