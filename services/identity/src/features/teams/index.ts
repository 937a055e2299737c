import type { internalTeams, teams } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { addTeamMembers } from './add-team-members.ts';
import { createTeam } from './create-team.ts';
import { deleteTeam } from './delete-team.ts';
import { findTeam } from './find-team.ts';
import { getTeam } from './get-team.ts';
import { listTeamMembers } from './list-team-members.ts';
import { listTeams } from './list-teams.ts';
import { removeTeamMember } from './remove-team-member.ts';
import { updateTeam } from './update-team.ts';

export const teamHandlers = (tools: Tools) =>
  ({
    createTeam: createTeam(tools),
    listTeams,
    getTeam,
    updateTeam,
    deleteTeam: deleteTeam(tools),
    listTeamMembers,
    addTeamMembers: addTeamMembers(tools),
    removeTeamMember: removeTeamMember(tools),
    findTeam,
  }) satisfies Handlers<typeof teams & typeof internalTeams, Tx>;
