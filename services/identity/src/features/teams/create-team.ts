import { actingUserId } from '@tandem/caller';
import { teamCreated, teamMembersChanged, type teams } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkParent, lockHierarchy } from './hierarchy.ts';
import { checkLead } from './lead.ts';
import { addMembers, checkKnown, inTooManyTeams, lockUsers, rejectEach, usersAtTeamLimit } from './members.ts';
import { checkTeamReach, recordsToFollow } from './reach.ts';
import { nameTaken } from './team.ts';

export const createTeam =
  (tools: Tools): Handler<typeof teams.createTeam> =>
  async ({ body, caller, tx, emit, afterCommit }) => {
    const { name, description = null, memberIds = [], leadId = null, parentTeamId = null } = body;
    if (parentTeamId) await lockHierarchy(tx);
    const known = await lockUsers(tx, memberIds);
    checkKnown(known, memberIds, { field: 'memberIds', type: 'user' });
    const atLimit = await usersAtTeamLimit(tx, memberIds);
    rejectEach(memberIds, { field: 'memberIds', message: inTooManyTeams, isRejected: (id) => atLimit.has(id) });
    await checkLead(tx, leadId, async (id) => memberIds.includes(id));
    await checkParent(tx, parentTeamId);
    const row = await tx.team
      .create({ data: { name, description, leadId, parentTeamId, createdBy: actingUserId(caller) ?? null } })
      .catch((error: unknown) => {
        throw nameTaken(error);
      });
    if (known.size) await checkTeamReach(tx, caller, [row.id]);
    const added = await addMembers(tx, row.id, [...known]);
    const team = { ...row, memberCount: added.length };
    emit(teamCreated, { data: { teamId: team.id, name }, record: team });
    if (added.length) {
      const follow = await recordsToFollow(tx, caller, added);
      emit(teamMembersChanged, { data: { teamId: team.id, added, removed: [], follow }, record: team });
      afterCommit(() => tools.invalidateCredentials({ tenantId: team.tenantId, userIds: added }));
    }
    return team;
  };
