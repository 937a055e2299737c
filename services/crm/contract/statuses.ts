import { code, event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { oneOf } from './fields.ts';
import { leadStatuses } from './leads.ts';

export const entityTypes = ['lead', 'opportunity'] as const;

const EntityType = oneOf(entityTypes);
const SortOrder = z
  .int({ error: 'Must be a whole number from 0 to 10000' })
  .min(0, 'Must be at least 0')
  .max(10_000, 'Must be at most 10000');
const Probability = z
  .int({ error: 'Must be a whole number from 0 to 100' })
  .min(0, 'Must be at least 0')
  .max(100, 'Must be at most 100');

/** A status that leads may have, or a stage of opportunities. */
export const StatusDefinition = z.object({
  id: id('status_definition'),
  entityType: EntityType,
  code: code(),
  name: name(),
  description: text(500).nullable(),
  /** The name of a colour, as an interface shows it. */
  color: text(32).nullable(),
  sortOrder: SortOrder,
  /** Whether new records start with it. */
  isDefault: z.boolean(),
  /** Of a lead status: which of the four statuses it is a kind of. */
  category: oneOf(leadStatuses).nullable(),
  /** Of a stage: whether a deal in it is over, and whether it is won. */
  isClosed: z.boolean(),
  isWon: z.boolean(),
  /** Of a stage: how likely a deal in it is won, in percent. */
  defaultProbability: Probability.nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A lead status as the AI suggests it: a body of POST /v1/config/statuses. */
export const GeneratedStatus = StatusDefinition.pick({
  code: true,
  name: true,
  sortOrder: true,
  isDefault: true,
}).extend({ description: text(500), color: text(32) });

/** A stage as the AI suggests it: with entityType opportunity a body of POST /v1/config/statuses. */
export const GeneratedStage = GeneratedStatus.extend({
  isClosed: z.boolean(),
  isWon: z.boolean(),
  defaultProbability: Probability,
});

export const statusDefinitionCreated = event('status_definition.created', {
  description: 'A lead status or a stage is defined',
  action: 'status_definition.create',
  target: 'status_definition',
  data: z.object({ statusDefinitionId: id('status_definition'), entityType: EntityType, code: code() }),
  record: StatusDefinition,
});

export const statusDefinitionUpdated = event('status_definition.updated', {
  description: 'The definition of a lead status or a stage changes',
  action: 'status_definition.update',
  target: 'status_definition',
  data: z.object({ statusDefinitionId: id('status_definition'), entityType: EntityType, code: code() }),
  record: StatusDefinition,
});

export const statuses = operations({
  createStatus: {
    method: 'POST',
    path: '/v1/config/statuses',
    permission: 'config:write',
    summary: 'Define a lead status or a stage',
    description:
      'Takes one generated item unchanged; stages come with entityType opportunity. A new default takes the place of the old one. Without sortOrder it stands last. A lead status without category counts as contacted, unless its code is itself one of the four statuses.',
    body: StatusDefinition.pick({ code: true, name: true }).extend({
      entityType: EntityType.default('lead'),
      description: text(500).nullish(),
      color: text(32).nullish(),
      sortOrder: SortOrder.optional(),
      isDefault: z.boolean().default(false),
      category: oneOf(leadStatuses).nullish(),
      isClosed: z.boolean().default(false),
      isWon: z.boolean().default(false),
      defaultProbability: Probability.nullish(),
    }),
    reply: StatusDefinition,
    status: 201,
    message: 'Status created',
    emits: [statusDefinitionCreated, statusDefinitionUpdated],
    errors: { code_taken: [409, 'This code is defined already'] },
  },
  listStatuses: {
    method: 'GET',
    path: '/v1/config/statuses',
    permission: 'config:read',
    summary: 'List lead statuses and stages',
    description: 'In the order they are shown in, by sortOrder. `search` looks into code and name.',
    query: listQuery(['sortOrder', 'createdAt', 'code', 'name'], 'sortOrder').extend({
      entityType: EntityType.optional(),
    }),
    reply: page(StatusDefinition),
    message: 'Statuses retrieved',
  },
});
