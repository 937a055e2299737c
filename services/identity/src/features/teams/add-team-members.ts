import { unknownId } from '@tandem/contract';
import { teamMembersChanged, type teams } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { addMembers, knownUsers } from './members.ts';
import { asTeam, lockTeam } from './team.ts';

export const addTeamMembers =
  (tools: Tools): Handler<typeof teams.addTeamMembers> =>
  async ({ params, body, tx, emit, afterCommit }) => {
    const row = await lockTeam(tx, params.id);
    const known = await knownUsers(tx, body.userIds);
    const added = await addMembers(tx, row.id, [...known]);
    if (added.length) {
      emit(teamMembersChanged, { data: { teamId: row.id, added, removed: [] }, record: row });
      afterCommit(() => tools.news({ tenantId: row.tenantId }));
    }
    const { memberCount } = await asTeam(tx, row);
    const results = body.userIds.map((id) => {
      const success = known.has(id);
      return { id, success, error: success ? null : unknownId('user') };
    });
    return { memberCount, results };
  };
