import { code, event, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { LeadStatus } from './leads.ts';

export const entityTypes = ['lead', 'opportunity'] as const;

export const EntityType = z
  .enum(entityTypes)
  .describe('Whether the definition is a lead status or an opportunity stage');
const StatusCode = code().meta({
  description: 'The code of the status: lower-case letters, digits and underscores, at most 64',
  examples: ['nurturing'],
});
const SortOrder = z
  .int({ error: 'Must be a whole number from 0 to 10000' })
  .min(0, 'Must be at least 0')
  .max(10_000, 'Must be at most 10000')
  .meta({ description: 'The position in lists, from 0 to 10000', examples: [4] });
const Probability = z
  .int({ error: 'Must be a whole number from 0 to 100' })
  .min(0, 'Must be at least 0')
  .max(100, 'Must be at most 100')
  .meta({
    description: 'The probability of winning a deal in this stage, in percent. Only for opportunity stages.',
    examples: [10],
  });

/** A lead status or an opportunity stage. */
export const StatusDefinition = z.object({
  id: id('status_definition'),
  entityType: EntityType,
  // Null also in events of stages of the previous release.
  pipelineId: id('pipeline').nullable().describe('The pipeline of the stage; null for a lead status'),
  code: StatusCode,
  name: name().meta({ examples: ['Nurturing'] }),
  description: text(500)
    .nullable()
    .meta({ examples: ['Not ready yet'] }),
  color: text(32)
    .nullable()
    .meta({ description: 'The colour name that user interfaces show', examples: ['blue'] }),
  sortOrder: SortOrder,
  isDefault: z
    .boolean()
    .meta({ description: 'Whether new records start with this status or stage', examples: [false] }),
  category: LeadStatus.nullable().meta({
    description: 'The built-in status that this status counts as. Only for lead statuses.',
    examples: ['contacted'],
  }),
  isClosed: z
    .boolean()
    .meta({ description: 'Whether deals in this stage are closed. Only for opportunity stages.', examples: [false] }),
  isWon: z
    .boolean()
    .meta({ description: 'Whether deals in this stage are won. Only for opportunity stages.', examples: [false] }),
  defaultProbability: Probability.nullable().meta({ examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A generated lead status. Valid as a body of POST /v1/config/statuses. */
export const GeneratedStatus = StatusDefinition.pick({
  code: true,
  name: true,
  sortOrder: true,
  isDefault: true,
}).extend({
  description: text(500).meta({ examples: ['Not ready yet'] }),
  color: text(32).meta({ description: 'The colour name that user interfaces show', examples: ['blue'] }),
});

/** A generated stage. With `entityType: opportunity` it is valid as a body of POST /v1/config/statuses. */
export const GeneratedStage = GeneratedStatus.extend({
  isClosed: z.boolean().meta({ description: 'Whether deals in this stage are closed', examples: [false] }),
  isWon: z.boolean().meta({ description: 'Whether deals in this stage are won', examples: [false] }),
  defaultProbability: Probability,
});

export const statusDefinitionCreated = event('status_definition.created', {
  description: 'A lead status or an opportunity stage is created',
  action: 'status_definition.create',
  target: 'status_definition',
  data: z.object({ statusDefinitionId: id('status_definition'), entityType: EntityType, code: code() }),
  record: StatusDefinition,
});

export const statusDefinitionUpdated = event('status_definition.updated', {
  description: 'A lead status or an opportunity stage is updated',
  action: 'status_definition.update',
  target: 'status_definition',
  data: z.object({ statusDefinitionId: id('status_definition'), entityType: EntityType, code: code() }),
  record: StatusDefinition,
});

const exampleBody = {
  code: 'nurturing',
  name: 'Nurturing',
  entityType: 'lead',
  description: 'Not ready yet',
  color: 'blue',
  sortOrder: 4,
  category: 'contacted',
};

export const statuses = operations({
  createStatus: {
    method: 'POST',
    path: '/v1/config/statuses',
    permission: 'config:write',
    summary: 'Create a lead status or an opportunity stage',
    description:
      'You can send a generated status unchanged; for a generated stage, add `entityType: opportunity`. A new default replaces the previous one. Without `sortOrder`, the item is added at the end. A lead status without `category` counts as contacted, unless its code is one of the four built-in statuses.',
    body: StatusDefinition.pick({ code: true, name: true })
      .extend({
        entityType: EntityType.default('lead'),
        description: text(500).nullish(),
        color: text(32).nullish(),
        sortOrder: SortOrder.optional(),
        isDefault: z.boolean().default(false),
        category: LeadStatus.nullish(),
        isClosed: z.boolean().default(false),
        isWon: z.boolean().default(false),
        defaultProbability: Probability.nullish(),
      })
      .meta({ examples: [exampleBody] }),
    reply: StatusDefinition,
    status: 201,
    message: 'Status created',
    emits: [statusDefinitionCreated, statusDefinitionUpdated],
    errors: { code_taken: [409, 'Another status or stage has this code; use a different one'] },
  },
  listStatuses: {
    method: 'GET',
    path: '/v1/config/statuses',
    permission: 'config:read',
    summary: 'List lead statuses and opportunity stages',
    description: 'Sorted by `sortOrder` unless `sort` is set. `search` covers the code and the name.',
    query: listQuery(['sortOrder', 'createdAt', 'code', 'name'], 'sortOrder').extend({
      entityType: EntityType.optional(),
    }),
    reply: page(StatusDefinition),
    message: 'Statuses retrieved',
  },
});
