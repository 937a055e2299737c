import { event, id, listQuery, name, operations, page, text } from '@tandem/contract';
import { z } from 'zod';
import { Team, teamMembersChanged, teamUpdated } from './team.ts';
import { teamsOfUserMax, User } from './users.ts';

const membersMax = 250;
const MemberIds = z
  .array(id('user'))
  .max(membersMax, { error: `Must contain at most ${membersMax} users` })
  .describe(`The ids of the users, at most ${membersMax}`);
const withId = z.object({ id: id('team') });

/** Maximum depth of the team hierarchy, including the top level. */
export const teamLevelsMax = 5;

export const teamCreated = event('team.created', {
  description: 'A team is created',
  action: 'team.create',
  target: 'team',
  data: z.object({ teamId: id('team'), name: name() }),
  record: Team,
});
export const teamDeleted = event('team.deleted', {
  description: 'A team is deleted; its members leave it, and its records belong to no team',
  action: 'team.delete',
  target: 'team',
  data: z.object({ teamId: id('team'), name: name() }),
  record: Team,
});

const errors = {
  name_taken: [409, 'Another team of the tenant has this name; choose a different one'],
  team_cycle: [409, 'A team cannot be below itself; choose another parent team'],
  too_deep: [409, `Teams can have at most ${teamLevelsMax} levels; choose a higher parent team`],
} as const;
const { team_cycle, ...createErrors } = errors;
const place = {
  leadId: id('user').nullish(),
  parentTeamId: id('team').nullish(),
};

export const teams = operations({
  createTeam: {
    method: 'POST',
    path: '/v1/teams',
    permission: 'teams:write',
    summary: 'Create a team',
    description: '`leadId` must be an active user among `memberIds`.',
    body: z.object({ name: name(), description: text(500).nullish(), memberIds: MemberIds.optional(), ...place }),
    reply: Team,
    status: 201,
    message: 'Team created',
    emits: [teamCreated, teamMembersChanged],
    errors: createErrors,
  },
  listTeams: {
    method: 'GET',
    path: '/v1/teams',
    permission: 'teams:read',
    summary: 'List teams',
    description: '`search` covers the name and the description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      parentTeamId: id('team').optional(),
      leadId: id('user').optional(),
    }),
    reply: page(Team),
    message: 'Teams retrieved',
  },
  getTeam: {
    method: 'GET',
    path: '/v1/teams/:id',
    permission: 'teams:read',
    summary: 'Retrieve a team',
    params: withId,
    reply: Team,
    message: 'Team retrieved',
  },
  updateTeam: {
    method: 'PATCH',
    path: '/v1/teams/:id',
    permission: 'teams:write',
    summary: 'Update a team',
    description: '`leadId` must be an active member of the team.',
    params: withId,
    body: z.object({ name: name().optional(), description: text(500).nullish(), ...place }),
    reply: Team,
    message: 'Team updated',
    emits: [teamUpdated],
    errors,
  },
  deleteTeam: {
    method: 'DELETE',
    path: '/v1/teams/:id',
    permission: 'teams:delete',
    summary: 'Delete a team',
    description:
      'The members leave the team. Records of the team then follow their assignees into their only team, or belong to no team; this takes some seconds. A team with teams below it cannot be deleted.',
    params: withId,
    reply: z.object({ id: id('team'), deleted: z.literal(true).describe('Always true') }),
    message: 'Team deleted',
    emits: [teamDeleted, teamMembersChanged],
    errors: { has_children: [409, 'Other teams are below this team; move or delete them first'] },
  },
  listTeamMembers: {
    method: 'GET',
    path: '/v1/teams/:id/members',
    permission: 'teams:read',
    also: ['users:read'],
    summary: 'List the members of a team',
    description: 'Lists the members whom you may read. `search` covers the e-mail address, first name and last name.',
    params: withId,
    query: listQuery(['createdAt', 'lastName', 'email']),
    reply: page(User),
    message: 'Team members retrieved',
  },
  addTeamMembers: {
    method: 'POST',
    path: '/v1/teams/:id/members',
    permission: 'teams:write',
    summary: 'Add members to a team',
    description: `Each id succeeds or fails independently; the results are in the order of the request. An existing member is not an error. A user can be in at most ${teamsOfUserMax} teams.`,
    params: withId,
    body: z.object({ userIds: MemberIds.min(1, { error: 'Must contain at least one user' }) }),
    reply: z.object({
      memberCount: z.int().meta({ description: 'The number of users in the team after the request', examples: [5] }),
      results: z
        .array(
          z.object({
            id: id('user'),
            success: z.boolean().describe('Whether the user is a member after the request'),
            error: z
              .string()
              .nullable()
              .meta({ description: 'The reason why the user was not added', examples: [null] }),
          }),
        )
        .describe('The result for each user, in the order of the request'),
    }),
    message: 'Team members added',
    emits: [teamMembersChanged],
  },
  removeTeamMember: {
    method: 'DELETE',
    path: '/v1/teams/:id/members/:userId',
    permission: 'teams:write',
    summary: 'Remove a member from a team',
    description: 'The user remains active, but loses access that depends on the team.',
    params: withId.extend({ userId: id('user') }),
    reply: z.object({ id: id('user'), deleted: z.literal(true).describe('Always true') }),
    message: 'Team member removed',
    emits: [teamMembersChanged, teamUpdated],
  },
});
