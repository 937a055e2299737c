import { event, id, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const Team = z.object({
  id: id('team'),
  tenantId: id('tenant'),
  name: name().meta({ examples: ['Sales'] }),
  description: text(500)
    .nullable()
    .meta({ examples: ['Customer-facing staff'] }),
  leadId: id('user').nullable().describe('The member who leads the team; names a contact and gives no permissions'),
  parentTeamId: id('team')
    .nullable()
    .meta({
      description:
        'The team above this one; gives no permissions: team records are those of the teams of which a user is a member',
      examples: [null],
    }),
  memberCount: z.int().meta({ description: 'The number of users in the team, with any status', examples: [4] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

// These events are apart from the operations on teams, because operations on users change teams too.
export const teamUpdated = event('team.updated', {
  description: 'The name or description of a team is updated',
  action: 'team.update',
  target: 'team',
  data: z.object({ teamId: id('team'), fields: z.array(z.string()) }),
  record: Team,
});

export const teamMembersChanged = event('team.members_changed', {
  description: 'Users are added to or removed from a team',
  action: 'team.change_members',
  target: 'team',
  data: z.object({
    teamId: id('team'),
    added: z.array(id('user')),
    removed: z.array(id('user')),
    follow: z
      .array(z.object({ userId: id('user'), teamId: id('team') }))
      .describe('The users among them whose records follow into a team, which is then their only one'),
  }),
  record: z.object({ id: id('team') }),
  whenMissing: { data: { follow: [] } },
});
