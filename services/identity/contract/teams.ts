import { event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { teamMembersChanged, teamsOfUserMax, User } from './users.ts';

export const Team = z.object({
  id: id('team'),
  tenantId: id('tenant'),
  name: name(),
  description: text(500).nullable(),
  /** How many users are in it now, whatever their status. */
  memberCount: z.int(),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const membersMax = 250;
const MemberIds = z.array(id('user')).max(membersMax, { error: `Must be at most ${membersMax} users` });
const withId = z.object({ id: id('team') });

export const teamCreated = event('team.created', {
  description: 'A team is made',
  action: 'team.create',
  target: 'team',
  data: z.object({ teamId: id('team'), name: name() }),
  record: Team,
});
export const teamUpdated = event('team.updated', {
  description: 'Name or description of a team change',
  action: 'team.update',
  target: 'team',
  data: z.object({ teamId: id('team'), fields: z.array(z.string()) }),
  record: Team,
});

const name_taken = [409, 'Another team of the tenant has this name'] as const;

export const teams = operations({
  createTeam: {
    method: 'POST',
    path: '/v1/teams',
    permission: 'teams:write',
    summary: 'Create a team',
    body: z.object({ name: name(), description: text(500).nullish(), memberIds: MemberIds.optional() }),
    reply: Team,
    status: 201,
    message: 'Team created',
    emits: [teamCreated, teamMembersChanged],
    errors: { name_taken },
  },
  listTeams: {
    method: 'GET',
    path: '/v1/teams',
    permission: 'teams:read',
    summary: 'List teams',
    description: '`search` looks into name and description.',
    query: listQuery(['createdAt', 'updatedAt', 'name']),
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
    params: withId,
    body: z.object({ name: name().optional(), description: text(500).nullish() }),
    reply: Team,
    message: 'Team updated',
    emits: [teamUpdated],
    errors: { name_taken },
  },
  listTeamMembers: {
    method: 'GET',
    path: '/v1/teams/:id/members',
    permission: 'teams:read',
    summary: 'List the members of a team',
    description: '`search` looks into e-mail address, first and last name.',
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
    description: `Each id succeeds or fails by itself, in the order given. Who is a member already stays one; nobody is in more than ${teamsOfUserMax} teams.`,
    params: withId,
    body: z.object({ userIds: MemberIds.min(1, { error: 'Must name at least one user' }) }),
    reply: z.object({
      memberCount: z.int(),
      results: z.array(z.object({ id: id('user'), success: z.boolean(), error: z.string().nullable() })),
    }),
    message: 'Team members added',
    emits: [teamMembersChanged],
  },
  removeTeamMember: {
    method: 'DELETE',
    path: '/v1/teams/:id/members/:userId',
    permission: 'teams:write',
    summary: 'Take a member out of a team',
    params: withId.extend({ userId: id('user') }),
    reply: z.object({ id: id('user'), deleted: z.literal(true) }),
    message: 'Team member removed',
    emits: [teamMembersChanged],
  },
});
