import { Environment, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { ConnectorKeyField } from './connector.ts';

export const connectionStatuses = ['pending', 'connected', 'needs_reauth', 'revoked', 'error'] as const;
type ConnectionStatus = (typeof connectionStatuses)[number];

export const connectionStates = stateTable<ConnectionStatus>('Connection', {
  created: { pending: 'authorizeConnection', connected: 'createConnection' },
  changes: {
    pending: { connected: 'complete-authorization', revoked: 'deleteConnection' },
    connected: { revoked: 'deleteConnection' },
    needs_reauth: { connected: 'complete-authorization', revoked: 'deleteConnection' },
    error: { connected: 'complete-authorization', revoked: 'deleteConnection' },
    revoked: {},
  },
  automatic: {
    pending: { error: 'complete-authorization', revoked: 'end-authorization.job' },
    connected: { needs_reauth: 'refresh-connection.job', error: 'refresh-connection.job' },
    needs_reauth: { error: 'refresh-connection.job' },
    error: { needs_reauth: 'refresh-connection.job' },
  },
});

/** Why a connection does not work, or why its last authorization failed. */
export const connectionErrors = [
  'access_denied',
  'authorization_failed',
  'authorization_expired',
  'provider_refused',
  'provider_unavailable',
  'invalid_grant',
  'token_expired',
  'credentials_rejected',
] as const;

export const ConnectionStatus = z
  .enum(connectionStatuses)
  .describe(
    'The status: `pending` until the user has consented at the provider; `needs_reauth` when the provider no longer accepts the grant, so that a user has to authorize the connection again; `error` when the provider refuses for another reason, see `lastError`',
  );

export const ConnectionError = z
  .enum(connectionErrors)
  .describe(
    'The last failure: `access_denied` if the user refused; `authorization_failed` if the provider did not complete the authorization; `authorization_expired` if nobody completed it in time; `provider_refused` if the provider refuses the client of the platform; `provider_unavailable` during an outage of the provider; `invalid_grant` if the provider refuses the grant; `token_expired` if the token has expired and the provider issued none to refresh it; `credentials_rejected` if the provider rejects the credentials',
  );

export const ConnectionName = name(100).meta({ description: 'The name of the connection', examples: ['Sales team'] });

export const Connection = z.object({
  id: id('connection'),
  environment: Environment,
  connectorKey: ConnectorKeyField,
  name: ConnectionName,
  status: ConnectionStatus.meta({ examples: ['connected'] }),
  allowedTransitions: z.array(ConnectionStatus).meta({
    description: 'The statuses that this connection can currently change to by an operation',
    examples: [['revoked']],
  }),
  scopes: z
    .array(z.string())
    .meta({ description: 'The OAuth 2.0 scopes that were granted', examples: [['chat:write']] }),
  account: z
    .object({
      id: text(255).meta({ description: 'The id of the account at the provider', examples: ['T0ACME'] }),
      name: text(255)
        .nullable()
        .meta({ description: 'The name of the account at the provider', examples: ['Acme'] }),
    })
    .nullable()
    .describe('The account that is connected; null if the provider does not name one'),
  expiresAt: timestamp()
    .nullable()
    .describe('When the access token expires; it is refreshed before. Null if it does not expire'),
  lastRefreshedAt: timestamp().nullable().describe('When the access token was last refreshed'),
  lastError: ConnectionError.nullable().meta({ examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
