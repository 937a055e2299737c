import { code, event, id, listQuery, name, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { NewStage, StatusDefinition, statusDefinitionCreated, statusDefinitionDeleted, statusesMax } from './status.ts';

const teamsMax = 100;
const rolesMax = 50;
const fieldsMax = 20;

/** The fields of a deal that a stage can require, besides custom fields. */
export const requirableFields = [
  'value',
  'expectedCloseAt',
  'ownerId',
  'teamId',
  'leadId',
  'partnerId',
  'accountId',
] as const;

const RequiredField = z
  .string()
  .max(80)
  .regex(new RegExp(`^(${requirableFields.join('|')}|customFields\\.[^.\\s]{1,64})$`), {
    error: `Must be one of ${requirableFields.join(', ')}, or a custom field such as customFields.budget`,
  });

export const PipelineRules = z.object({
  noSkip: z.boolean().meta({
    description: 'Deals move forward to the next open stage only; they can be closed from any',
    examples: [true],
  }),
  noBackward: z.boolean().meta({ description: 'Open deals never move to an earlier stage', examples: [false] }),
  requiredFields: z
    .record(code(), z.array(RequiredField).max(fieldsMax, `Must contain at most ${fieldsMax} fields`))
    .refine((stages) => Object.keys(stages).length <= statusesMax, `Must have at most ${statusesMax} stages`)
    .meta({
      description: 'The fields that must have a value before a deal enters a stage, by the code of the stage',
      examples: [{ proposal: ['value', 'expectedCloseAt'] }],
    }),
  allowedRoleIds: z
    .array(id('role'))
    .max(rolesMax, `Must contain at most ${rolesMax} roles`)
    .describe(
      'The roles whose users may move deals, and create them in other stages than the default one; empty for all',
    ),
});

const TeamIds = z
  .array(id('team'))
  .max(teamsMax, `Must contain at most ${teamsMax} teams`)
  .describe('The teams whose new deals start in this pipeline');

/** The stages that a kind of deal passes, with the rules for moves between them. */
export const Pipeline = z.object({
  id: id('pipeline'),
  name: name().meta({ examples: ['New business'] }),
  isDefault: z.boolean().meta({ description: 'Whether new deals start in this pipeline', examples: [false] }),
  teamIds: TeamIds,
  rules: PipelineRules.describe('The rules for moves between the stages'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A pipeline with its stages. */
export const PipelineDetail = Pipeline.extend({
  stages: z.array(StatusDefinition).describe('The stages in their order'),
});

const about = z.object({ pipelineId: id('pipeline'), name: name() });

export const pipelineCreated = event('pipeline.created', {
  description: 'A pipeline is created',
  action: 'pipeline.create',
  target: 'pipeline',
  data: about,
  record: Pipeline,
});

export const pipelineUpdated = event('pipeline.updated', {
  description: 'A pipeline or its rules are updated',
  action: 'pipeline.update',
  target: 'pipeline',
  data: about,
  record: Pipeline,
});

export const pipelineDeleted = event('pipeline.deleted', {
  description: 'A pipeline is deleted',
  action: 'pipeline.delete',
  target: 'pipeline',
  data: about,
  record: Pipeline,
});

/** The maximum number of pipelines. */
export const pipelinesMax = 50;
const withId = z.object({ id: id('pipeline') });

/** The error of a move that the rules of a pipeline refuse. */
export const moveErrors = {
  move_refused: [409, 'The rules of the pipeline do not allow this move; `errors` names the rule'],
} as const;

export const pipelines = operations({
  createPipeline: {
    method: 'POST',
    path: '/v1/config/pipelines',
    permission: 'config:write',
    summary: 'Create a pipeline',
    description:
      'Without `stages`, the pipeline gets the six standard stages. A new default replaces the previous one. PUT /v1/config/pipelines/:id/rules sets its rules.',
    body: z
      .object({
        name: name(),
        isDefault: z.boolean().default(false),
        teamIds: TeamIds.optional(),
        stages: z
          .array(NewStage)
          .min(3, 'Must contain an open, a won and a lost stage')
          .max(statusesMax, `Must contain at most ${statusesMax} stages`)
          .describe('The stages, such as a generated set; at least one open, one won and one lost stage')
          .optional(),
      })
      .meta({ examples: [{ name: 'New business' }] }),
    reply: PipelineDetail,
    status: 201,
    message: 'Pipeline created',
    emits: [pipelineCreated, pipelineUpdated, statusDefinitionCreated],
    errors: { too_many_pipelines: [409, `A tenant has at most ${pipelinesMax} pipelines`] },
  },
  listPipelines: {
    method: 'GET',
    path: '/v1/config/pipelines',
    permission: 'config:read',
    summary: 'List pipelines',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']),
    reply: page(Pipeline),
    message: 'Pipelines retrieved',
  },
  getPipeline: {
    method: 'GET',
    path: '/v1/config/pipelines/:id',
    permission: 'config:read',
    summary: 'Retrieve a pipeline with its stages',
    params: withId,
    reply: PipelineDetail,
    message: 'Pipeline retrieved',
  },
  updatePipeline: {
    method: 'PATCH',
    path: '/v1/config/pipelines/:id',
    permission: 'config:write',
    summary: 'Update a pipeline',
    description: 'A new default replaces the previous one.',
    params: withId,
    body: z.object({ name: name().optional(), isDefault: z.boolean().optional(), teamIds: TeamIds.optional() }),
    reply: PipelineDetail,
    message: 'Pipeline updated',
    emits: [pipelineUpdated],
    errors: { default_pipeline: [409, 'One pipeline is the default; make another one the default instead'] },
  },
  setPipelineRules: {
    method: 'PUT',
    path: '/v1/config/pipelines/:id/rules',
    permission: 'config:write',
    summary: 'Set the rules of a pipeline',
    description:
      'Replaces all rules; omitted ones are off. A move that breaks a rule is refused with 409, one of a deal without a required field with 422. `requiredFields` also hold for new deals, and `allowedRoleIds` for those that are created in another stage than the default one.',
    params: withId,
    body: z
      .object({
        noSkip: z.boolean().describe('Open deals move to the next stage only').default(false),
        noBackward: z.boolean().describe('Open deals never move to an earlier stage').default(false),
        requiredFields: PipelineRules.shape.requiredFields.default({}),
        allowedRoleIds: PipelineRules.shape.allowedRoleIds.default([]),
      })
      .meta({ examples: [{ noSkip: true, requiredFields: { proposal: ['value'] } }] }),
    reply: PipelineDetail,
    message: 'Rules set',
    emits: [pipelineUpdated],
  },
  deletePipeline: {
    method: 'DELETE',
    path: '/v1/config/pipelines/:id',
    permission: 'config:delete',
    summary: 'Delete a pipeline with its stages',
    description:
      'A pipeline that has deals cannot be deleted, and neither can the default pipeline. POST /v1/opportunities/:id/stage moves an open deal to another pipeline.',
    params: withId,
    reply: z.object({ id: id('pipeline'), deleted: z.literal(true).describe('Always true') }),
    message: 'Pipeline deleted',
    emits: [pipelineDeleted, statusDefinitionDeleted],
    errors: {
      default_pipeline: [409, 'The default pipeline cannot be deleted; make another one the default first'],
      pipeline_in_use: [
        409,
        'Deals are in this pipeline. Move the open ones to another pipeline; closed deals stay in theirs, and deleted ones count for 30 days',
      ],
    },
  },
});
