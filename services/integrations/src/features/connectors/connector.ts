import type { Connector as ConnectorSchema } from '@tandem/integrations-contract';
import { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import { settingsOf } from '../../connectors/settings.ts';
import type { Tools, Tx } from '../../handler.ts';

/** The keys of the connectors that have a connection which works. */
export async function connectedKeys(tx: Tx): Promise<Set<string>> {
  const found = await tx.connection.findMany({
    where: { status: 'connected', deletedAt: null },
    select: { connectorKey: true },
  });
  return new Set(found.map(({ connectorKey }) => connectorKey));
}

/** Converts a connector to the contract's `Connector`. */
export function asConnector(
  connector: Connector,
  connected: ReadonlySet<string>,
  { oauth }: Pick<Tools, 'oauth'>,
): z.output<typeof ConnectorSchema> {
  const { key, name, category, authType, provider, scopes, credentials, sync } = connector;
  const settings = settingsOf(connector);
  return {
    key,
    name,
    category,
    authType,
    provider,
    scopes: [...scopes],
    configSchema: jsonSchema(settings),
    credentialsSchema: credentials && jsonSchema(credentials),
    capability: sync ? 'sync' : 'events',
    configured: provider === null || oauth.isConfigured(provider),
    status: connected.has(key) ? 'connected' : 'available',
  };
}

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
}
