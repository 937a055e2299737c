import { id, listQuery, name, operations, orJob, page, text } from '@tandem/contract';
import { z } from 'zod';
import { LeadStatus, leadStatusChanged, leadUpdated } from './lead.ts';
import { opportunityStageChanged } from './opportunity.ts';
import { pipelineUpdated } from './pipelines.ts';
import {
  EntityType,
  NewStatus,
  SortOrder,
  StageProbability,
  StatusDefinition,
  statusDefinitionCreated,
  statusDefinitionDeleted,
  statusDefinitionUpdated,
  statusesMax,
} from './status.ts';

const place = {
  entityType: EntityType.default('lead'),
  pipelineId: id('pipeline')
    .nullish()
    .describe('The pipeline of the stages; the default pipeline if omitted. Only for opportunity stages.'),
};
const exampleBody = {
  code: 'nurturing',
  name: 'Nurturing',
  entityType: 'lead',
  description: 'Not ready yet',
  color: 'blue',
  sortOrder: 4,
  category: 'contacted',
};
const exampleStatus = {
  ...exampleBody,
  id: 'ZYFe5CHxcgKSUJZI',
  pipelineId: null,
  isDefault: false,
  isClosed: false,
  isWon: false,
  defaultProbability: null,
  version: 1,
  createdAt: '2026-03-02T09:15:00.000Z',
  updatedAt: '2026-03-02T09:15:00.000Z',
};
const withId = z.object({ id: id('status_definition') });
const code_taken = [409, 'Another status or stage has this code; use a different one'] as const;
const too_many_statuses = [409, `A pipeline, and the list of lead statuses, has at most ${statusesMax}`] as const;
const last_of_kind = [
  409,
  'The default, the last open, won and lost stage and the last lead status of each category are needed',
] as const;
const status_in_use = [409, 'Records have this status or stage; name another one in replaceWithId'] as const;
const categoryRule =
  'A lead status without `category` counts as new if it is the default, else as contacted, unless its code is one of the four built-in statuses.';

export const statuses = operations({
  createStatus: {
    method: 'POST',
    path: '/v1/config/statuses',
    permission: 'config:write',
    summary: 'Create a lead status or an opportunity stage',
    description: `You can send a generated status unchanged; for a generated stage, add \`entityType: opportunity\`. A new default replaces the previous one. Without \`sortOrder\`, the item is added at the end. ${categoryRule}`,
    body: NewStatus.extend(place).meta({ examples: [exampleBody] }),
    reply: StatusDefinition,
    status: 201,
    message: 'Status created',
    emits: [statusDefinitionCreated, statusDefinitionUpdated],
    errors: { code_taken, too_many_statuses },
  },
  bulkCreateStatuses: {
    method: 'POST',
    path: '/v1/config/statuses:bulk',
    permission: 'config:write',
    summary: 'Create many lead statuses or opportunity stages',
    description: `Creates all of them or none. \`statuses\` can be a generated set, unchanged. Without \`sortOrder\`, they are added at the end in their order. ${categoryRule}`,
    body: z
      .object({
        ...place,
        statuses: z
          .array(NewStatus)
          .min(1, 'Must contain at least 1 status')
          .max(statusesMax, `Must contain at most ${statusesMax} statuses`)
          .describe('The statuses or stages to create'),
      })
      .meta({ examples: [{ entityType: 'lead', statuses: [{ code: 'nurturing', name: 'Nurturing' }] }] }),
    example: { statuses: [exampleStatus] },
    reply: z.object({ statuses: z.array(StatusDefinition).describe('The statuses or stages that were created') }),
    status: 201,
    message: 'Statuses created',
    emits: [statusDefinitionCreated, statusDefinitionUpdated],
    errors: { code_taken, too_many_statuses },
  },
  listStatuses: {
    method: 'GET',
    path: '/v1/config/statuses',
    permission: 'config:read',
    summary: 'List lead statuses and opportunity stages',
    description: 'Sorted by `sortOrder` unless `sort` is set. `search` covers the code and the name.',
    query: listQuery(['sortOrder', 'createdAt', 'code', 'name'], 'sortOrder').extend({
      entityType: EntityType.optional(),
      pipelineId: id('pipeline').optional(),
    }),
    reply: page(StatusDefinition),
    message: 'Statuses retrieved',
  },
  orderStatuses: {
    method: 'PUT',
    path: '/v1/config/statuses/order',
    permission: 'config:write',
    summary: 'Order lead statuses or the stages of a pipeline',
    description: 'Sets `sortOrder` of each item to its position in `ids`.',
    body: z.object({
      ids: z
        .array(id('status_definition'))
        .min(1, 'Must contain at least 1 id')
        .max(statusesMax, `Must contain at most ${statusesMax} ids`)
        .describe('The ids of all lead statuses, or of all stages of one pipeline, in their new order'),
    }),
    example: { statuses: [exampleStatus] },
    reply: z.object({ statuses: z.array(StatusDefinition).describe('The statuses or stages in their order') }),
    message: 'Statuses ordered',
    emits: [statusDefinitionUpdated],
  },
  getStatus: {
    method: 'GET',
    path: '/v1/config/statuses/:id',
    permission: 'config:read',
    summary: 'Retrieve a lead status or an opportunity stage',
    params: withId,
    reply: StatusDefinition,
    message: 'Status retrieved',
  },
  updateStatus: {
    method: 'PATCH',
    path: '/v1/config/statuses/:id',
    permission: 'config:write',
    summary: 'Update a lead status or an opportunity stage',
    description:
      'Changes the given fields. A new default replaces the previous one. The category of a lead status can change while no lead has it. The code, `isClosed` and `isWon` never change: create another stage, and delete this one with `replaceWithId`.',
    params: withId,
    body: z.object({
      name: name().optional(),
      description: text(500).nullish(),
      color: text(32).nullish(),
      sortOrder: SortOrder.optional(),
      isDefault: z.boolean().optional(),
      category: LeadStatus.optional(),
      defaultProbability: StageProbability.optional(),
      isClosed: z.boolean().describe('Never changes; another value than that of the stage is refused').optional(),
      isWon: z.boolean().describe('Never changes; another value than that of the stage is refused').optional(),
    }),
    reply: StatusDefinition,
    message: 'Status updated',
    emits: [statusDefinitionUpdated],
    errors: { status_in_use: [409, 'Leads have this status, so its category cannot change'], last_of_kind },
  },
  deleteStatus: {
    method: 'DELETE',
    path: '/v1/config/statuses/:id',
    permission: 'config:delete',
    summary: 'Delete a lead status or an opportunity stage',
    description:
      'With `replaceWithId`, the leads or deals that have it move to the replacement, each with its events; for more than 250 of them the response is 202 and a background job moves them, then deletes the status. GET /v1/jobs/:id returns its progress. A replacement of a stage belongs to the same pipeline and is open, won or lost as the stage is. The status of a lead must be able to change to the category of the replacement.',
    params: withId,
    query: z.object({
      replaceWithId: id('status_definition')
        .describe('The lead status or stage for the records that have the deleted one')
        .optional(),
    }),
    reply: orJob(z.object({ id: id('status_definition'), deleted: z.literal(true).describe('Always true') })),
    message: 'Status deleted',
    emits: [statusDefinitionDeleted, leadUpdated, leadStatusChanged, opportunityStageChanged, pipelineUpdated],
    errors: {
      status_in_use,
      last_of_kind,
      being_replaced: [
        409,
        'A background job moves records to or from this status or its replacement; send the request again when it has ended',
      ],
    },
  },
});
