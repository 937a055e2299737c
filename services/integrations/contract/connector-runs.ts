import { freeForm, id, listQuery, operations, page, text } from '@tandem/contract';
import { z } from 'zod';
import { refreshEvents, tooManyTests } from './connections.ts';
import { FieldMappings } from './connector-configs.ts';
import {
  ConnectorRun,
  ConnectorRunItem,
  RunAction,
  RunStatus,
  RunTrigger,
  runDays,
  runRetried,
  syncCancelled,
  syncRequested,
} from './connector-run.ts';

const ofConfig = z.object({ id: id('connector_config') });
const ofRun = z.object({ id: id('connector_config'), runId: id('connector_run') });
const inactive = { config_inactive: [409, 'The config is not active; set active to true first'] } as const;
const running = {
  run_in_progress: [409, 'A sync of this config is in progress; wait for its end or cancel it'],
} as const;

/** Runs of configs: syncs, and actions on events. */
export const connectorRuns = operations({
  syncConnectorConfig: {
    method: 'POST',
    path: '/v1/integrations/configs/:id/sync',
    permission: 'integrations:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Start a sync',
    description:
      'Reads what has changed in the connected system since the last sync, page by page, and writes it with the permissions of the user who set the config up. An interrupted sync continues where it was. `full` reads all records again; those that are as before are not written. A sync that waits for its next attempt is tried at once.',
    params: ofConfig,
    body: z
      .object({
        full: z.boolean({ error: 'Must be true or false' }).describe('Whether to read all records').default(false),
      })
      .meta({ examples: [{ full: false }] }),
    reply: ConnectorRun,
    status: 202,
    message: 'Sync started',
    emits: [syncRequested],
    errors: {
      ...inactive,
      ...running,
      connection_lost: [409, 'The connection does not work; authorize it again'],
      nothing_to_sync: [409, 'The connector acts on events, or the config only writes: there is nothing to read'],
    },
  },
  listConnectorRuns: {
    method: 'GET',
    path: '/v1/integrations/configs/:id/runs',
    permission: 'integrations:read',
    narrows: true,
    summary: 'List the runs of a config',
    description: `Returns the syncs of a config, or what its connector did on events, with the reason of a failure. Runs are kept for ${runDays} days.`,
    params: ofConfig,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        status: RunStatus.describe('Return only runs with this status').optional(),
        trigger: RunTrigger.describe('Return only runs with this cause').optional(),
      }),
    reply: page(ConnectorRun),
    message: 'Runs retrieved',
  },
  getConnectorRun: {
    method: 'GET',
    path: '/v1/integrations/configs/:id/runs/:runId',
    permission: 'integrations:read',
    narrows: true,
    summary: 'Retrieve a run',
    params: ofRun,
    reply: ConnectorRun,
    message: 'Run retrieved',
  },
  listConnectorRunItems: {
    method: 'GET',
    path: '/v1/integrations/configs/:id/runs/:runId/items',
    permission: 'integrations:read',
    narrows: true,
    summary: 'List the records of a run',
    description:
      'Returns the records that a run wrote, sent, skipped or could not write, with the reason. Records that were as before are only counted.',
    params: ofRun,
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({ action: RunAction.describe('Return only records with this outcome').optional() }),
    reply: page(ConnectorRunItem),
    message: 'Items retrieved',
  },
  cancelConnectorRun: {
    method: 'POST',
    path: '/v1/integrations/configs/:id/runs/:runId/cancel',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Cancel a run',
    description: 'Records that were written stay. The next sync continues where this one was.',
    params: ofRun,
    reply: ConnectorRun,
    message: 'Run cancelled',
    emits: [syncCancelled],
    errors: { run_ended: [409, 'The run has ended'] },
  },
  retryConnectorRun: {
    method: 'POST',
    path: '/v1/integrations/configs/:id/runs/:runId/retry',
    permission: 'integrations:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Start a failed or waiting run again',
    description:
      'A sync continues where it failed; an action on an event is tried again with all its attempts. A run that waits for its next attempt is tried at once.',
    params: ofRun,
    reply: ConnectorRun,
    status: 202,
    message: 'Run started again',
    emits: [runRetried],
    errors: {
      ...inactive,
      ...running,
      run_not_failed: [409, 'Only a run that has failed, or that waits for its next attempt, can be started again'],
      event_gone: [409, 'The event of the run is not kept any more'],
    },
  },
  previewConnection: {
    method: 'POST',
    path: '/v1/integrations/connections/:id/preview',
    permission: 'integrations:write',
    narrows: true,
    checksPermissions: true,
    summary: 'Preview settings and field mappings',
    description:
      'For a connector that syncs, reads up to ten records of the connected system and shows how a config with these settings and mappings would write them, and what would be refused. For one that acts on events, shows what would be sent for the example of the first event. Nothing is written or sent. Of mails and calendar events, `source` and `result` are empty unless the caller has created the connection. If the connected system cannot be read, `error` has the reason.',
    params: z.object({ id: id('connection') }),
    body: z
      .object({
        settings: freeForm()
          .meta({
            description: 'The settings, as `configSchema` of the connector describes them',
            examples: [{ objects: ['contacts'] }],
          })
          .optional(),
        fieldMappings: FieldMappings.optional(),
      })
      .meta({ examples: [{ fieldMappings: [{ from: 'properties.jobtitle', to: 'lead.customFields.title' }] }] }),
    reply: z.object({
      records: z
        .array(
          z.object({
            kind: text(50).meta({ description: 'The kind of the record', examples: ['lead'] }),
            externalId: z
              .string()
              .nullable()
              .meta({ description: 'Its id in the connected system', examples: ['1042'] }),
            source: freeForm().meta({
              description: 'The record as the connected system returned it, from which mappings read',
              examples: [{ properties: { email: 'ada@example.com', jobtitle: 'Countess' } }],
            }),
            result: freeForm().meta({
              description: 'The fields as they would be written or sent',
              examples: [{ email: 'ada@example.com', customFields: { title: 'Countess' } }],
            }),
            errors: z
              .array(
                z.object({
                  field: z.string().meta({ description: 'The field', examples: ['email'] }),
                  message: z.string().meta({ description: 'What is wrong', examples: ['Must be an e-mail address'] }),
                }),
              )
              .describe('What would be refused'),
          }),
        )
        .describe('The records, as they would be written or sent'),
      error: z
        .string()
        .nullable()
        .meta({
          description:
            'The reason why no records could be read: `connection_lost` if the status of the connection is not `connected`, `credentials_rejected`, `reauth_required`, `provider_refused`, `provider_unavailable`, `request_rejected` if a mailbox refuses the folder, `blocked_address`, or `status_` and the HTTP status, such as `status_404` if a calendar of the settings does not exist',
          examples: [null],
        }),
    }),
    message: 'Preview created',
    emits: refreshEvents,
    timeoutMs: 20_000,
    errors: tooManyTests,
  },
});
