import { code, event, id, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { LeadStatus } from './lead.ts';

export const entityTypes = ['lead', 'opportunity'] as const;

export const EntityType = z
  .enum(entityTypes)
  .describe('Whether the definition is a lead status or an opportunity stage');
const StatusCode = code().meta({
  description: 'The code of the status: lower-case letters, digits and underscores, at most 64',
  examples: ['nurturing'],
});
export const SortOrder = z
  .int({ error: 'Must be a whole number from 0 to 10000' })
  .min(0, 'Must be at least 0')
  .max(10_000, 'Must be at most 10000')
  .meta({ description: 'The position in lists, from 0 to 10000', examples: [4] });
export const StageProbability = z
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
  defaultProbability: StageProbability.nullable().meta({ examples: [null] }),
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
  category: LeadStatus.describe('The status that leads with this code have'),
});

/** A generated stage. With `entityType: opportunity` it is valid as a body of POST /v1/config/statuses. */
export const GeneratedStage = GeneratedStatus.omit({ category: true }).extend({
  isClosed: z.boolean().meta({ description: 'Whether deals in this stage are closed', examples: [false] }),
  isWon: z.boolean().meta({ description: 'Whether deals in this stage are won', examples: [false] }),
  defaultProbability: StageProbability,
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

export const statusDefinitionDeleted = event('status_definition.deleted', {
  description: 'A lead status or an opportunity stage is deleted',
  action: 'status_definition.delete',
  target: 'status_definition',
  data: z.object({ statusDefinitionId: id('status_definition'), entityType: EntityType, code: code() }),
  record: StatusDefinition,
});

/** The maximum number of lead statuses, and of stages in a pipeline. */
export const statusesMax = 100;

const common = StatusDefinition.pick({ code: true, name: true }).extend({
  description: text(500).nullish(),
  color: text(32)
    .nullish()
    .meta({ description: 'The colour name that user interfaces show', examples: ['blue'] }),
  sortOrder: SortOrder.optional(),
  isDefault: z.boolean().describe('Whether new records start with this status or stage').default(false),
});

/** A stage in the body of a request that creates several. */
export const NewStage = common.extend({
  isClosed: z.boolean().describe('Whether deals in this stage are closed. Only for opportunity stages.').default(false),
  isWon: z.boolean().describe('Whether deals in this stage are won. Only for opportunity stages.').default(false),
  defaultProbability: StageProbability.nullish(),
});

/** A lead status or a stage in the body of a request that creates several. */
export const NewStatus = NewStage.extend({ category: LeadStatus.nullish() });
