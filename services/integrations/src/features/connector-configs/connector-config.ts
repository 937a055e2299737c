import type { FieldError } from '@tandem/contract';
import { ConnectorConfig, connectorConfigsMax } from '@tandem/integrations-contract';
import { fail, failField, readFields } from '@tandem/service';
import { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import type { ConnectorConfig as ConfigRow, Connection as ConnectionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type { ConfigRow };

const columns = ConnectorConfig.pick({
  connectorKey: true,
  settings: true,
  fieldMappings: true,
  inactiveReason: true,
});

/** Converts a row to the contract's `ConnectorConfig`. */
export function asConnectorConfig(row: ConfigRow): z.output<typeof ConnectorConfig> {
  return { ...row, ...columns.parse(row) };
}

/** The data of the events of a config. */
export function aboutConfig(row: ConfigRow) {
  return { configId: row.id, connectorKey: columns.shape.connectorKey.parse(row.connectorKey) };
}

/**
 * Reads settings by the schema of the connector.
 * @throws ApiError 422 naming the fields
 */
export function readSettings({ settings: schema }: Connector, settings: unknown): Record<string, unknown> {
  const errors: FieldError[] = [];
  const read = readFields(z.object({ settings: schema }), { settings }, errors);
  if (!read) throw fail('validation_failed', errors);
  return read.settings;
}

/** Finds the connection of a config: one of the same connector that the caller may access. */
export async function findConnectionOf(tx: Tx, { key }: Pick<Connector, 'key'>, id: number): Promise<ConnectionRow> {
  const row = await tx.connection.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw failField('connectionId', 'No connection with this id');
  if (row.connectorKey !== key) throw failField('connectionId', `Must be a connection of the connector ${key}`);
  return row;
}

/** Locks a config, so that checks on it still hold when it is written. */
export async function lockConfig(tx: Tx, id: number): Promise<ConfigRow> {
  const row = await tx.connectorConfig.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row as ConfigRow;
}

/** Counts all configs, including those hidden from the caller, and blocks concurrent creation with a lock. */
export async function checkConfigLimit(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('connector configs', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  const [found] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM connector_config`;
  if ((found?.count ?? 0) >= connectorConfigsMax) throw fail('too_many_configs');
}
