import { event, freeForm, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { ConnectorKeyField } from './connector.ts';

export const connectorConfigsMax = 100;
const withId = z.object({ id: id('connector_config') });

const Settings = freeForm().meta({
  description: 'The settings, as `configSchema` of the connector describes them',
  examples: [{ events: ['lead.*'], channel: 'C0SALES' }],
});

const path = (what: string, example: string) =>
  text(200)
    .min(1, 'Must not be empty')
    .meta({ description: what, examples: [example] });

export const FieldMapping = z.object({
  from: path(
    'The field of the event (`id`, `type`, `createdAt`, or a field of `data` that at least one of the events has), or of the record in the connected system',
    'data.email',
  ).regex(/^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+){0,9}$/, 'Must be names of fields, separated by dots'),
  to: path(
    'The field, or the label, under which it is sent; for a sync the kind and the field of the record here, such as `lead.phone`',
    'contact.email',
  ),
});

export const FieldMappings = z
  .array(FieldMapping)
  .max(50, 'Must contain at most 50 mappings')
  .meta({
    description:
      'The fields of the event that are sent, and their names, which differ and of which none contains another; all fields of the event if it is empty. For a sync, fields that are written besides those that the connector maps itself, or instead of them',
    examples: [[{ from: 'data.email', to: 'contact.email' }]],
  });

export const ConnectorConfig = z.object({
  id: id('connector_config'),
  connectorKey: ConnectorKeyField,
  connectionId: id('connection'),
  settings: Settings,
  fieldMappings: FieldMappings,
  active: z.boolean().describe('Whether the connector acts on events, or syncs'),
  inactiveReason: z
    .enum(['connection_deleted', 'account_changed'])
    .nullable()
    .meta({
      description:
        'Why the platform set `active` to false: its connection was deleted, or somebody other than `authorizedBy` gave the connection another account or other credentials. Setting `active` to true authorizes the config for the account that the connection has now.',
      examples: [null],
    }),
  nextSyncAt: timestamp().nullable().describe('When the next sync on schedule begins; null if there is none'),
  lastSuccessAt: timestamp().nullable().describe('When a run last succeeded'),
  lastFailureAt: timestamp()
    .nullable()
    .meta({ description: 'When an attempt of a run last failed', examples: [null] }),
  lastError: z
    .string()
    .nullable()
    .meta({
      description:
        'The reason of the last failure: as `error` of a test of the connection, `request_rejected` if the system refuses the content, `connection_lost` while the connection does not work, `not_permitted` if the user who set the config up may not read or write the records any more, `platform_unavailable` during an outage of a service of the platform, `too_many_pages`, or `internal_error`',
      examples: [null],
    }),
  authorizedBy: id('user')
    .nullable()
    .describe('The user whose permissions limit the events and records: the one who last changed the config'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const about = z.object({ configId: id('connector_config'), connectorKey: ConnectorKeyField });

function configEvent<const Name extends `integration.config_${string}`, Data extends z.ZodType>(
  name: Name,
  action: string,
  description: string,
  data: Data,
) {
  return event(name, { description, action, target: 'connector_config', data, record: ConnectorConfig });
}

export const connectorConfigCreated = configEvent(
  'integration.config_created',
  'integration.create_config',
  'A config of a connector is created',
  about,
);
export const connectorConfigUpdated = configEvent(
  'integration.config_updated',
  'integration.update_config',
  'A config of a connector is updated',
  about.extend({ fields: z.array(z.string()) }),
);
export const connectorConfigDeleted = configEvent(
  'integration.config_deleted',
  'integration.delete_config',
  'A config of a connector is deleted',
  about,
);

const accountErrors = {
  account_synced: [
    409,
    'Another active config syncs this account by another connection; use that connection, or deactivate that config',
  ],
} as const;

const body = {
  settings: Settings,
  fieldMappings: FieldMappings,
  active: z.boolean({ error: 'Must be true or false' }),
};

export const connectorConfigs = operations({
  listConnectorConfigs: {
    method: 'GET',
    path: '/v1/integrations/configs',
    permission: 'integrations:read',
    narrows: true,
    summary: 'List the configs of connectors',
    query: listQuery(['createdAt', 'updatedAt'])
      .omit({ search: true })
      .extend({
        connectorKey: ConnectorKeyField.describe('Return only configs of this connector').optional(),
        connectionId: id('connection').describe('Return only configs of this connection').optional(),
      }),
    reply: page(ConnectorConfig),
    message: 'Configs retrieved',
  },
  createConnectorConfig: {
    method: 'POST',
    path: '/v1/integrations/configs',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Configure a connector',
    checksPermissions: true,
    description:
      'A config acts on events, or syncs records, as the connector does. Acting on an event, it posts a message, or sends the fields of the event; you must have permission to read the records of the events, without narrowing. A sync reads and writes records with your permissions, at once and then every `everyMinutes`. Failed attempts are repeated as a delivery to a webhook is; GET /v1/integrations/configs/:id/runs shows them. `settings` are validated by `configSchema` of the connector; an error names the field. The connection must be one of the connector. A calendar or a mailbox must be one that you connected yourself, unless it was connected by a key without a user; otherwise the response is 403.',
    body: z
      .object({
        connectorKey: ConnectorKeyField,
        connectionId: id('connection'),
        settings: body.settings.optional(),
        fieldMappings: body.fieldMappings.optional(),
        active: body.active.optional(),
      })
      .meta({
        examples: [
          {
            connectorKey: 'slack',
            connectionId: 'ozWROIGD4LWMZUfL',
            settings: { events: ['lead.*'], channel: 'C0SALES' },
          },
        ],
      }),
    reply: ConnectorConfig,
    status: 201,
    message: 'Config created',
    emits: [connectorConfigCreated],
    errors: {
      ...accountErrors,
      too_many_configs: [409, `An environment can have at most ${connectorConfigsMax} configs; delete one first`],
    },
  },
  getConnectorConfig: {
    method: 'GET',
    path: '/v1/integrations/configs/:id',
    permission: 'integrations:read',
    narrows: true,
    summary: 'Retrieve a config of a connector',
    params: withId,
    reply: ConnectorConfig,
    message: 'Config retrieved',
  },
  updateConnectorConfig: {
    method: 'PATCH',
    path: '/v1/integrations/configs/:id',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Update a config of a connector',
    description:
      'Changes the given fields; your permissions then limit the events and records of the config. `settings` and `fieldMappings` are replaced as a whole; the next sync then reads all records again. A config that becomes inactive cancels its runs. `connectionId` moves the config to another connection of the same connector. All changes except `active: false` need a connection that you connected yourself if it is a calendar or a mailbox, as when a config is created.',
    params: withId,
    body: z
      .object({ connectionId: id('connection'), ...body })
      .partial()
      .meta({ examples: [{ active: false }] }),
    reply: ConnectorConfig,
    message: 'Config updated',
    emits: [connectorConfigUpdated],
    errors: {
      ...accountErrors,
      connection_deleted: [409, 'The connection of the config was deleted; set connectionId to another one'],
    },
  },
  deleteConnectorConfig: {
    method: 'DELETE',
    path: '/v1/integrations/configs/:id',
    permission: 'integrations:delete',
    narrows: true,
    summary: 'Delete a config of a connector',
    params: withId,
    reply: z.object({ id: id('connector_config'), deleted: z.literal(true).describe('Always true') }),
    message: 'Config deleted',
    emits: [connectorConfigDeleted],
  },
});
