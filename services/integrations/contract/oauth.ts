import { id, operations, secret, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Connection } from './connection.ts';
import {
  authorizationFailed,
  authorizationRequested,
  connectionConnected,
  connectionRecovered,
} from './connection-events.ts';
import { connectionsMax, RefreshResult, refreshErrors, refreshEvents, refreshTimeoutMs } from './connections.ts';
import { ConnectorKeyField, OauthProviderField } from './connector.ts';

export const authorizationMinutes = 10;

const ofProvider = z.object({ provider: OauthProviderField });
// RFC 6749, section 3.3.
const Scope = text(255).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'Must be a scope without spaces');

export const oauth = operations({
  authorizeConnection: {
    method: 'POST',
    path: '/v1/integrations/oauth/:provider/authorize',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Authorize a connection at a provider',
    description: `Returns the URL at the provider to open in the browser of the user, within ${authorizationMinutes} minutes and once. The provider returns the browser to the callback, which establishes the connection. Without \`connectionId\`, a new connection with the status \`pending\` is created; it is removed if the authorization is not completed.`,
    params: ofProvider,
    body: z
      .object({
        connectorKey: ConnectorKeyField.meta({
          description: 'The connector; required if several connectors use the provider, as for `google`',
          examples: ['slack'],
        }),
        redirectUri: text(2048).meta({
          description:
            'Where the callback redirects the browser to, with `status` and `connectionId` or `error` in the query. Its origin must be one that the platform allows. Without it, the callback responds with JSON.',
          examples: ['https://console.example.com/integrations'],
        }),
        scopes: z
          .array(Scope)
          .min(1, 'Must contain at least one scope')
          .max(50, 'Must contain at most 50 scopes')
          .meta({
            description: 'The scopes to request; those of the connector by default',
            examples: [['chat:write']],
          }),
        connectionId: id('connection').describe(
          'The connection to authorize again, which keeps its id and its configs. If the account is another one, or cannot be read, the configs that another user authorized become inactive (`account_changed`).',
        ),
      })
      .partial()
      .meta({ examples: [{ redirectUri: 'https://console.example.com/integrations' }] }),
    reply: z.object({
      // Each of the two is enough to authorize another account, so neither reaches the API log.
      authorizationUrl: secret(
        z.string().meta({
          description: 'The URL at the provider',
          examples: ['https://slack.com/oauth/v2/authorize?client_id=1&state=ThisIsOnlyAnExample'],
        }),
      ),
      state: secret(
        z
          .string()
          .meta({ description: 'The value that ties the callback to this request', examples: ['ThisIsOnlyAnExample'] }),
      ),
      expiresAt: timestamp().describe('When the URL stops working'),
      connectionId: id('connection'),
    }),
    message: 'Authorization requested',
    emits: [authorizationRequested],
    errors: {
      provider_not_configured: [422, 'The platform has no client at the provider'],
      too_many_connections: [409, `An environment can have at most ${connectionsMax} connections; delete one first`],
    },
  },
  completeAuthorization: {
    method: 'GET',
    path: '/v1/integrations/oauth/:provider/callback',
    audience: 'public',
    summary: 'Complete an authorization',
    description:
      'The provider sends the browser of the user here. Responds with a redirect to `redirectUri` of the authorization, with `status=connected&connectionId=…` or `status=error&error=…`, or without `redirectUri` with JSON.',
    params: ofProvider,
    query: z.object({
      code: text(4096)
        .meta({ description: 'The authorization code', examples: ['ThisIsOnlyAnExample'] })
        .optional(),
      state: text(2048)
        .meta({ description: 'The state of the authorization', examples: ['ThisIsOnlyAnExample'] })
        .optional(),
      error: text(255)
        .meta({ description: 'The reason why the provider did not authorize', examples: ['access_denied'] })
        .optional(),
    }),
    reply: Connection.pick({ id: true, connectorKey: true, status: true }),
    mayRedirect: true,
    message: 'Connection authorized',
    emits: [connectionConnected, connectionRecovered, authorizationFailed],
    timeoutMs: refreshTimeoutMs,
    errors: {
      invalid_state: [400, 'The authorization has expired, or was completed already; start it again'],
      authorization_refused: [400, 'The provider did not authorize the connection; start the authorization again'],
      provider_unavailable: [503, 'The provider is temporarily unavailable; start the authorization again'],
    },
  },
  refreshProviderConnection: {
    method: 'POST',
    path: '/v1/integrations/oauth/:provider/refresh',
    permission: 'integrations:write',
    narrows: true,
    summary: 'Refresh the access token of a connection of a provider',
    description: 'The same as `POST /v1/integrations/connections/:id/refresh`.',
    params: ofProvider,
    body: z.object({ connectionId: id('connection') }),
    reply: RefreshResult,
    message: 'Connection refreshed',
    emits: refreshEvents,
    timeoutMs: refreshTimeoutMs,
    errors: refreshErrors,
  },
});
