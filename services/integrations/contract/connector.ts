import { z } from 'zod';

/** The keys of the connectors, in the order in which they are listed. */
export const connectorKeys = [
  'slack',
  'google_calendar',
  'gmail',
  'microsoft_calendar',
  'hubspot',
  'pipedrive',
  'stripe',
  'imap',
  'rest',
] as const;
export type ConnectorKey = (typeof connectorKeys)[number];

/** The OAuth 2.0 providers. Several connectors can share one, and with it the client of the platform at the provider. */
export const oauthProviders = ['slack', 'google', 'microsoft', 'hubspot', 'pipedrive'] as const;
export type OauthProvider = (typeof oauthProviders)[number];

export const connectorCategories = ['messaging', 'calendar', 'email', 'crm', 'payments', 'custom'] as const;
export const authTypes = ['oauth2', 'api_key', 'basic', 'none'] as const;

export const ConnectorKeyField = z
  .enum(connectorKeys, { error: `Must be one of ${connectorKeys.join(', ')}` })
  .meta({ description: 'The key of the connector', examples: ['slack'] });

export const OauthProviderField = z
  .enum(oauthProviders, { error: `Must be one of ${oauthProviders.join(', ')}` })
  .meta({ description: 'The OAuth 2.0 provider', examples: ['slack'] });

export const ConnectorCategory = z.enum(connectorCategories).describe('The category of the connector');
export const AuthType = z
  .enum(authTypes)
  .describe(
    'How a connection authenticates: `oauth2` by the consent of a user at the provider, `api_key` and `basic` by credentials that you enter',
  );

const JsonSchema = z.record(z.string(), z.unknown());

export const Connector = z.object({
  key: ConnectorKeyField,
  name: z.string().meta({ description: 'The name of the connector', examples: ['Slack'] }),
  category: ConnectorCategory.meta({ examples: ['messaging'] }),
  authType: AuthType.meta({ examples: ['oauth2'] }),
  provider: OauthProviderField.nullable().meta({
    description: 'The provider at which connections are authorized; null unless `authType` is `oauth2`',
    examples: ['slack'],
  }),
  scopes: z.array(z.string()).meta({
    description: 'The OAuth 2.0 scopes that an authorization requests by default',
    examples: [['chat:write', 'channels:read']],
  }),
  configSchema: JsonSchema.meta({
    description: 'The JSON Schema of `settings` of a config',
    examples: [{ type: 'object', properties: { channel: { type: 'string' } } }],
  }),
  credentialsSchema: JsonSchema.nullable().meta({
    description: 'The JSON Schema of `credentials` of a connection; null if `authType` is `oauth2`',
    examples: [null],
  }),
  capability: z
    .enum(['events', 'sync'])
    .meta({ description: 'Whether configs act on events, or sync records', examples: ['events'] }),
  configured: z
    .boolean()
    .describe('Whether the platform has a client at the provider; without one, connections cannot be authorized'),
  status: z
    .enum(['available', 'connected'])
    .meta({ description: 'Whether you have a connection that works', examples: ['available'] }),
});
