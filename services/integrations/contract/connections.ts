import { id, listQuery, operations, page, secret } from '@tandem/contract';
import { z } from 'zod';
import { Connection, ConnectionName, ConnectionStatus } from './connection.ts';
import {
  connectionConnected,
  connectionDisconnected,
  connectionFailed,
  connectionNeedsReauth,
  connectionRecovered,
  connectionRefreshed,
  connectionUpdated,
} from './connection-events.ts';
import { ConnectorKeyField } from './connector.ts';

export const connectionsMax = 100;
const withId = z.object({ id: id('connection') });

const Credentials = secret(
  z.record(z.string(), z.unknown(), { error: 'Must be an object' }).meta({
    description: 'The credentials, as `credentialsSchema` of the connector describes them. They are never returned.',
    examples: [{ apiKey: 'ThisIsOnlyAnExample' }],
  }),
);

/** The reply of a refresh. */
export const RefreshResult = Connection.pick({ status: true, expiresAt: true });

/** The errors of a refresh. */
export const refreshErrors = {
  reauth_required: [409, 'The provider no longer accepts the grant; authorize the connection again'],
  not_refreshable: [409, 'The connection has no token that can be refreshed'],
  authorization_pending: [409, 'The connection is not authorized yet; complete the authorization first'],
  provider_refused: [502, 'The provider refuses the client of the platform; contact support'],
  provider_unavailable: [503, 'The provider is temporarily unavailable; try again later'],
} as const;

export const tooManyTests = {
  too_many_tests: [429, 'Too many tests are in progress; try again when they have finished'],
} as const;

export const refreshEvents = [
  connectionRefreshed,
  connectionNeedsReauth,
  connectionRecovered,
  connectionFailed,
] as const;

export const refreshTimeoutMs = 30_000;

export const connections = operations({
  listConnections: {
    method: 'GET',
    path: '/v1/integrations/connections',
    permission: 'integrations:read',
    narrows: true,
    summary: 'List connections',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      status: ConnectionStatus.describe('Return only connections with this status').optional(),
      connectorKey: ConnectorKeyField.describe('Return only connections of this connector').optional(),
    }),
    reply: page(Connection),
    message: 'Connections retrieved',
  },
  createConnection: {
    method: 'POST',
    path: '/v1/integrations/connections',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Create a connection with credentials',
    description:
      'For connectors whose `authType` is not `oauth2`. Connections of the others are authorized by `POST /v1/integrations/oauth/:provider/authorize`. The credentials are stored encrypted; test them with `POST …/connections/:id/test`.',
    body: z
      .object({ connectorKey: ConnectorKeyField, name: ConnectionName, credentials: Credentials })
      .meta({ examples: [{ connectorKey: 'stripe', name: 'Shop', credentials: { apiKey: 'ThisIsOnlyAnExample' } }] }),
    reply: Connection,
    status: 201,
    example: { connectorKey: 'stripe', name: 'Shop', scopes: [], account: null, expiresAt: null },
    message: 'Connection created',
    emits: [connectionConnected],
    errors: {
      too_many_connections: [409, `An environment can have at most ${connectionsMax} connections; delete one first`],
    },
  },
  getConnection: {
    method: 'GET',
    path: '/v1/integrations/connections/:id',
    permission: 'integrations:read',
    narrows: true,
    summary: 'Retrieve a connection',
    params: withId,
    reply: Connection,
    message: 'Connection retrieved',
  },
  updateConnection: {
    method: 'PATCH',
    path: '/v1/integrations/connections/:id',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Update a connection',
    description:
      'Changes the given fields. `credentials` are replaced as a whole; a connection with OAuth 2.0 has none, authorize it again instead. Other credentials make the configs of the connection inactive (`account_changed`) that another user authorized.',
    params: withId,
    body: z
      .object({ name: ConnectionName, credentials: Credentials })
      .partial()
      .meta({ examples: [{ name: 'Sales team' }] }),
    reply: Connection,
    message: 'Connection updated',
    emits: [connectionUpdated, connectionRecovered],
  },
  deleteConnection: {
    method: 'DELETE',
    path: '/v1/integrations/connections/:id',
    permission: 'integrations:delete',
    narrows: true,
    summary: 'Delete a connection',
    description:
      'Revokes the access at the provider, if the provider offers that, and removes the credentials. If the provider is unavailable, the revocation is repeated for a day. A grant that ends all connections of an account, as at Google, is revoked with the last of them. Configs of the connection become inactive. They can be moved to another connection for 30 days, and are then removed.',
    params: withId,
    reply: z.object({ id: id('connection'), deleted: z.literal(true).describe('Always true') }),
    message: 'Connection deleted',
    emits: [connectionDisconnected],
  },
  refreshConnection: {
    method: 'POST',
    path: '/v1/integrations/connections/:id/refresh',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Refresh the access token of a connection',
    description:
      'Tokens are refreshed five minutes before they expire, so this is rarely needed. While a refresh is in progress, and for five seconds after it, the request gets its result instead of making another one.',
    params: withId,
    reply: RefreshResult,
    message: 'Connection refreshed',
    emits: refreshEvents,
    timeoutMs: refreshTimeoutMs,
    errors: refreshErrors,
  },
  testConnection: {
    method: 'POST',
    path: '/v1/integrations/connections/:id/test',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Test a connection',
    description:
      'Makes one call to the provider that changes nothing, with a fresh token if the current one has expired.',
    params: withId,
    reply: z.object({
      ok: z.boolean().describe('Whether the provider accepted the call'),
      latencyMs: z.int().meta({ description: 'The duration of the call in milliseconds', examples: [184] }),
      error: z
        .string()
        .nullable()
        .meta({
          description:
            'The reason for the failure: `credentials_rejected`, `reauth_required`, `provider_refused`, `provider_unavailable`, `blocked_address`, or `status_` and the HTTP status',
          examples: [null],
        }),
    }),
    message: 'Connection tested',
    emits: refreshEvents,
    timeoutMs: refreshTimeoutMs,
    errors: {
      authorization_pending: refreshErrors.authorization_pending,
      ...tooManyTests,
    },
  },
});
