import {
  event,
  flag,
  id,
  LeadCondition,
  listQuery,
  name,
  operations,
  page,
  text,
  timestamp,
  writableCondition,
} from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadAssigned, leadUpdated } from './lead.ts';

export const assignmentMethods = ['round_robin', 'least_busy', 'weighted'] as const;
export const assignmentRulesMax = 100;
const conditionsMax = 20;
const usersMax = 100;
const weightMax = 100;
const orderMax = 10_000;
const capacityMax = 100_000;

export const AssignmentMethod = z.enum(assignmentMethods).meta({
  description:
    'Who gets the next lead: `round_robin` the user whose last turn is the longest ago, `least_busy` the user with the fewest open leads, `weighted` each user in proportion to their weight',
  examples: ['round_robin'],
});
const wholeFrom = (min: number, max: number) =>
  z
    .int({ error: `Must be a whole number from ${min} to ${max}` })
    .min(min, `Must be at least ${min}`)
    .max(max, `Must be at most ${max}`);
const Capacity = wholeFrom(1, capacityMax).meta({
  description:
    'A user with this many open leads gets no further one. Open leads are assigned to the user, not converted and not unqualified.',
  examples: [50],
});
const Order = wholeFrom(0, orderMax).meta({
  description:
    'The position among the rules: the first active rule that matches a lead and has an available user is used',
  examples: [0],
});
const UserIds = z.array(id('user')).max(usersMax, `Must contain at most ${usersMax} users`);
const Weights = z
  .array(
    z.object({
      userId: id('user'),
      weight: wholeFrom(1, weightMax).meta({ description: 'The share of the user', examples: [2] }),
    }),
  )
  .max(usersMax, `Must contain at most ${usersMax} users`)
  .meta({ description: 'The weights of users for the method `weighted`; other users have the weight 1' });
const conditionsText =
  'The conditions that a lead must meet, all of them; a rule without conditions matches every lead';

export const AssignmentRule = z.object({
  id: id('assignment_rule'),
  name: name().meta({ examples: ['German leads'] }),
  match: z.array(LeadCondition).describe(conditionsText),
  teamId: id('team').nullable().describe('The team whose active members get leads'),
  userIds: UserIds.describe('Only these users get leads: members of the team, or any users without a team'),
  method: AssignmentMethod,
  weights: Weights,
  capacity: Capacity.nullable(),
  order: Order,
  active: z.boolean().meta({ description: 'Whether the rule is used', examples: [true] }),
  applyToNew: z.boolean().meta({
    description: 'Whether the rule assigns new leads that have no assignee. Other leads are assigned on request.',
    examples: [true],
  }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const ruleEvent = { target: 'assignment_rule', data: z.object({ assignmentRuleId: id('assignment_rule') }) } as const;

export const assignmentRuleCreated = event('assignment_rule.created', {
  ...ruleEvent,
  description: 'An assignment rule is created',
  action: 'assignment_rule.create',
  record: AssignmentRule,
});
export const assignmentRuleUpdated = event('assignment_rule.updated', {
  ...ruleEvent,
  description: 'An assignment rule is updated',
  action: 'assignment_rule.update',
  record: AssignmentRule,
});
export const assignmentRuleDeleted = event('assignment_rule.deleted', {
  ...ruleEvent,
  description: 'An assignment rule is deleted',
  action: 'assignment_rule.delete',
  record: AssignmentRule,
});

const writable = AssignmentRule.pick({ name: true, method: true }).extend({
  match: z.array(writableCondition).max(conditionsMax, `Must contain at most ${conditionsMax} conditions`).optional(),
  teamId: id('team').nullish(),
  userIds: UserIds.optional(),
  weights: Weights.optional(),
  capacity: Capacity.nullish(),
  order: Order.optional(),
});
const { active, applyToNew } = AssignmentRule.shape;
const withId = z.object({ id: id('lead') });
const withRuleId = z.object({ id: id('assignment_rule') });

export const leadAssignment = operations({
  assignLead: {
    method: 'POST',
    path: '/v1/leads/:id/assign',
    permission: 'leads:write',
    narrows: true,
    summary: 'Assign a lead to a user',
    description: 'The lead follows the user into their team. Assigning it to the same user again changes nothing.',
    params: withId,
    body: z.object({
      assignedTo: id('user').nullable().describe('The user to assign the lead to; null for nobody'),
      reason: text(500)
        .nullish()
        .meta({ description: 'The reason for the change', examples: ['Speaks Portuguese'] }),
    }),
    reply: Lead,
    message: 'Lead assigned',
    emits: [leadUpdated, leadAssigned],
  },
  autoAssignLead: {
    method: 'POST',
    path: '/v1/leads/:id/auto-assign',
    permission: 'leads:write',
    narrows: true,
    summary: 'Assign a lead by the assignment rules',
    description:
      'Uses the first active rule, by `order`, that matches the lead and has an available user: active, not on time off, and below the capacity of the rule. A lead that is assigned already may get another assignee.',
    params: withId,
    reply: Lead,
    message: 'Lead assigned',
    emits: [leadUpdated, leadAssigned],
    errors: {
      no_matching_rule: [409, 'No active assignment rule matches the lead; create one or change its conditions'],
      nobody_available: [
        409,
        'No user of the matching rules is available: all are inactive, on time off, or at their capacity',
      ],
    },
  },
});

export const assignmentRules = operations({
  createAssignmentRule: {
    method: 'POST',
    path: '/v1/leads/assignment-rules',
    permission: 'config:write',
    summary: 'Create an assignment rule',
    description:
      'New leads without an assignee are assigned within seconds of their creation, by the first matching rule. `teamId`, `userIds` or both are required. Without `order`, the rule is the last.',
    body: writable.extend({ active: active.default(true), applyToNew: applyToNew.default(true) }).meta({
      examples: [
        {
          name: 'German leads',
          match: [{ field: 'customFields.country', operator: 'equals', value: 'DE' }],
          teamId: 'OgwcgVukdBNditjU',
          method: 'round_robin',
          capacity: 50,
        },
      ],
    }),
    reply: AssignmentRule,
    status: 201,
    message: 'Assignment rule created',
    emits: [assignmentRuleCreated],
    errors: { too_many_rules: [409, `There are ${assignmentRulesMax} assignment rules already; delete one`] },
  },
  listAssignmentRules: {
    method: 'GET',
    path: '/v1/leads/assignment-rules',
    permission: 'config:read',
    summary: 'List assignment rules',
    description: 'Sorted by `order` unless `sort` is set.',
    query: listQuery(['order', 'createdAt', 'name'], 'order')
      .omit({ search: true })
      .extend({ active: flag().describe('Return only active rules (`true`), or only others').optional() }),
    reply: page(AssignmentRule),
    message: 'Assignment rules retrieved',
  },
  getAssignmentRule: {
    method: 'GET',
    path: '/v1/leads/assignment-rules/:id',
    permission: 'config:read',
    summary: 'Retrieve an assignment rule',
    params: withRuleId,
    reply: AssignmentRule,
    message: 'Assignment rule retrieved',
  },
  updateAssignmentRule: {
    method: 'PATCH',
    path: '/v1/leads/assignment-rules/:id',
    permission: 'config:write',
    summary: 'Update an assignment rule',
    description: 'Changes the given fields. `match`, `userIds` and `weights` are replaced as a whole.',
    params: withRuleId,
    body: writable
      .partial()
      .extend({ active: active.optional(), applyToNew: applyToNew.optional() })
      .meta({ examples: [{ capacity: 80 }] }),
    reply: AssignmentRule,
    message: 'Assignment rule updated',
    emits: [assignmentRuleUpdated],
  },
  deleteAssignmentRule: {
    method: 'DELETE',
    path: '/v1/leads/assignment-rules/:id',
    permission: 'config:delete',
    summary: 'Delete an assignment rule',
    params: withRuleId,
    reply: z.object({ id: id('assignment_rule'), deleted: z.literal(true).describe('Always true') }),
    message: 'Assignment rule deleted',
    emits: [assignmentRuleDeleted],
  },
});
