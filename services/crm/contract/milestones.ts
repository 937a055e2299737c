import {
  event,
  flag,
  id,
  listQuery,
  name,
  operations,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const milestoneStatuses = ['pending', 'completed'] as const;

export const MilestoneStatus = z.enum(milestoneStatuses).describe('Whether the milestone is completed');
const Order = z
  .int({ error: 'Must be a whole number from 0 to 10000' })
  .min(0, 'Must be at least 0')
  .max(10_000, 'Must be at most 10000')
  .meta({ description: 'The position in the opportunity, from 0 to 10000', examples: [1] });

export const milestoneStates = stateTable<(typeof milestoneStatuses)[number]>('Milestone', {
  created: { pending: 'createMilestone' },
  changes: { pending: { completed: 'completeMilestone' }, completed: { pending: 'reopenMilestone' } },
});

export const Milestone = z.object({
  id: id('milestone'),
  opportunityId: id('opportunity').describe('The opportunity of the milestone'),
  title: name(200).meta({ examples: ['Contract sent'] }),
  description: text(2000)
    .nullable()
    .meta({ examples: ['To the purchasing department'] }),
  status: MilestoneStatus.meta({ examples: ['pending'] }),
  allowedTransitions: z.array(MilestoneStatus).meta({
    description: 'The statuses that this milestone can currently change to',
    examples: [['completed']],
  }),
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the milestone is due', examples: ['2026-05-15T12:00:00.000Z'] }),
  overdue: z.boolean().meta({ description: 'Whether the milestone is pending after its due time', examples: [false] }),
  ownerId: id('user').nullable().describe('The user who is responsible for the milestone'),
  order: Order,
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the milestone was completed', examples: [null] }),
  completedBy: id('user').nullable().describe('The user who completed the milestone'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const milestoneEvent = (name: string, verb: string, description: string) =>
  event(`milestone.${name}`, {
    description,
    action: `milestone.${verb}`,
    target: 'milestone',
    data: z.object({ milestoneId: id('milestone'), opportunityId: id('opportunity') }),
    record: Milestone,
  });

export const milestoneCreated = milestoneEvent('created', 'create', 'A milestone is added to an opportunity');
export const milestoneUpdated = milestoneEvent('updated', 'update', 'The fields of a milestone are modified');
export const milestoneCompleted = milestoneEvent('completed', 'complete', 'A milestone is completed');
export const milestoneReopened = milestoneEvent('reopened', 'reopen', 'A completed milestone is pending again');
export const milestoneDeleted = milestoneEvent('deleted', 'delete', 'A milestone is deleted');

const ofOpportunity = z.object({ oid: id('opportunity') });
const withId = ofOpportunity.extend({ mid: id('milestone') });
const fields = {
  title: Milestone.shape.title,
  description: text(2000).nullish(),
  dueAt: timestamp().nullish(),
  ownerId: id('user').nullish(),
  order: Order.optional(),
};
const errors = { transition_refused: sharedErrors.transition_refused } as const;

export const milestones = operations({
  createMilestone: {
    method: 'POST',
    path: '/v1/opportunities/:oid/milestones',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Add a milestone to an opportunity',
    description: 'Without `order`, the milestone is added at the end. An opportunity has at most 50 milestones.',
    params: ofOpportunity,
    body: z.object(fields).meta({ examples: [{ title: 'Contract sent', dueAt: '2026-05-15T12:00:00.000Z' }] }),
    reply: Milestone,
    status: 201,
    message: 'Milestone created',
    emits: [milestoneCreated],
    errors: { too_many_milestones: [409, 'The opportunity has 50 milestones already'] },
  },
  listMilestones: {
    method: 'GET',
    path: '/v1/opportunities/:oid/milestones',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'List the milestones of an opportunity',
    description: 'Sorted by `order` unless `sort` is set.',
    params: ofOpportunity,
    query: listQuery(['order', 'createdAt', 'dueAt'], 'order')
      .omit({ search: true })
      .extend({
        status: MilestoneStatus.optional(),
        overdue: flag()
          .describe('Return only overdue milestones (`true`), or only those that are not overdue (`false`)')
          .optional(),
      }),
    reply: page(Milestone),
    message: 'Milestones retrieved',
  },
  getMilestone: {
    method: 'GET',
    path: '/v1/opportunities/:oid/milestones/:mid',
    permission: 'opportunities:read',
    narrows: true,
    summary: 'Retrieve a milestone',
    params: withId,
    reply: Milestone,
    message: 'Milestone retrieved',
  },
  updateMilestone: {
    method: 'PATCH',
    path: '/v1/opportunities/:oid/milestones/:mid',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Update a milestone',
    description: '`status` follows the rules of POST /complete and /reopen. Its current value changes nothing.',
    params: withId,
    body: z.object(fields).partial().extend({ status: MilestoneStatus.optional() }),
    reply: Milestone,
    message: 'Milestone updated',
    emits: [milestoneUpdated, milestoneCompleted, milestoneReopened],
    errors,
  },
  completeMilestone: {
    method: 'POST',
    path: '/v1/opportunities/:oid/milestones/:mid/complete',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Complete a milestone',
    params: withId,
    reply: Milestone,
    message: 'Milestone completed',
    emits: [milestoneCompleted],
    errors,
  },
  reopenMilestone: {
    method: 'POST',
    path: '/v1/opportunities/:oid/milestones/:mid/reopen',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Reopen a completed milestone',
    params: withId,
    reply: Milestone,
    message: 'Milestone reopened',
    emits: [milestoneReopened],
    errors,
  },
  deleteMilestone: {
    method: 'DELETE',
    path: '/v1/opportunities/:oid/milestones/:mid',
    permission: 'opportunities:write',
    narrows: true,
    summary: 'Delete a milestone',
    params: withId,
    reply: z.object({ id: id('milestone'), deleted: z.literal(true).describe('Always true') }),
    message: 'Milestone deleted',
    emits: [milestoneDeleted],
  },
});
