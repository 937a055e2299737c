import { actingUserId, type Caller } from '@tandem/caller';
import { allows, type FieldError } from '@tandem/contract';
import { ConnectorConfig, connectorConfigsMax } from '@tandem/integrations-contract';
import { fail, failField, readFields } from '@tandem/service';
import { z } from 'zod';
import type { FieldMapping } from '../../connectors/calling.ts';
import type { Connector } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import { settingsOf } from '../../connectors/settings.ts';
import type { Sync } from '../../connectors/sync.ts';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { permissionsOf } from '../sync/targets.ts';
import { checkMayReceive, patternErrors } from '../webhooks/webhook.ts';
import { eventMappingErrors } from './event-mappings.ts';

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

/** The mappings of a stored config. */
export function mappingsOf({ fieldMappings }: Pick<ConfigRow, 'fieldMappings'>): FieldMapping[] {
  return columns.shape.fieldMappings.parse(fieldMappings);
}

/** The data of the events of a config. */
export function aboutConfig(row: ConfigRow) {
  return { configId: row.id, connectorKey: columns.shape.connectorKey.parse(row.connectorKey) };
}

/** The part of a config that concerns events: those that its connector acts on. */
export interface ConfigInput {
  settings: unknown;
  fieldMappings: readonly FieldMapping[];
}

/**
 * Reads settings by the schema of the connector, and checks that the caller may read the records of the events, or read and
 * write those of the sync.
 * @throws ApiError 422 or 403 naming the fields
 */
export function readSettings(connector: Connector, input: ConfigInput, caller: Caller): ConfigSettings {
  const schema = settingsOf(connector);
  const errors: FieldError[] = [];
  const read = readFields(z.object({ settings: schema }), { settings: input.settings }, errors);
  const nameErrors = input.fieldMappings.flatMap(({ to }, index) => {
    const message = connector.nameError?.(to);
    return message === undefined ? [] : [{ field: `fieldMappings.${index}.to`, message }];
  });
  const settings = read?.settings as ConfigSettings | undefined;
  const events = settings?.events ?? [];
  const unknown = patternErrors(events, 'settings.events');
  errors.push(...unknown, ...nameErrors);
  // Fields are known only of events that are.
  if (connector.act && events.length && !unknown.length)
    errors.push(...eventMappingErrors(input.fieldMappings, events));
  if (!settings || errors.length) throw fail('validation_failed', errors);
  checkMayReceive(caller, events, 'settings.events');
  if (connector.sync) checkMaySync(caller, wantedFor(connector.sync, settings));
  return settings;
}

/** Settings that were read by the schema of a connector; those of a connector that acts on events name the events. */
export type ConfigSettings = Record<string, unknown> & { events?: string[] };

/** The permissions that a config needs: those of the records that it writes here, and of the events that it writes there. */
function wantedFor(sync: Sync, settings: ConfigSettings): string[] {
  const pushed = sync.push?.isWanted(settings) ? ['calendar:read'] : [];
  return [...new Set([...permissionsOf(sync.kinds(settings)), ...pushed])];
}

/** A sync may read and write what the caller may, also if that is narrowed to own records. */
function checkMaySync({ permissions }: Caller, wanted: readonly string[]): void {
  const missing = wanted.filter((permission) => allows(permissions, permission) === undefined);
  if (missing.length) throw fail('forbidden', [{ field: 'settings', message: `Requires ${missing.join(', ')}` }]);
}

/**
 * Locks the connection of a config: one of the same connector that the caller may access. It is locked before the config,
 * as when it is deleted, which makes its configs inactive.
 */
export async function lockConnectionOf(tx: Tx, key: string, id: number, caller: Caller): Promise<void> {
  const row = await tx.connection.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw failField('connectionId', 'No connection with this id');
  if (row.connectorKey !== key) throw failField('connectionId', `Must be a connection of the connector ${key}`);
  checkIsOwn(row as Pick<ConnectionRow, 'connectorKey' | 'createdBy'>, caller);
}

const personal: readonly Connector['category'][] = ['calendar', 'email'];

/**
 * Fails for a calendar or a mailbox that somebody else connected: a config would copy between it and the records that the
 * caller may read. Connections without a creator are those of keys without a user, which belong to nobody in particular.
 */
export function checkIsOwn(
  { connectorKey, createdBy }: Pick<ConnectionRow, 'connectorKey' | 'createdBy'>,
  caller: Caller,
): void {
  const { category, name } = connectorOf(connectorKey);
  if (!personal.includes(category) || createdBy === null || createdBy === actingUserId(caller)) return;
  const message = `Must be a connection that you created: this ${name} was connected by somebody else`;
  throw fail('forbidden', [{ field: 'connectionId', message }]);
}

/** Locks a config, so that checks on it still hold when it is written. */
export async function lockConfig(tx: Tx, id: number): Promise<ConfigRow> {
  const row = await tx.connectorConfig.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row as ConfigRow;
}

/** Blocks the creation and activation of other configs until the end of the transaction. */
export async function lockConfigs(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('connector configs', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

/** Counts all configs, including those hidden from the caller. The caller holds the lock of `lockConfigs`. */
export async function checkConfigLimit(tx: Tx): Promise<void> {
  const [found] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM connector_config`;
  if ((found?.count ?? 0) >= connectorConfigsMax) throw fail('too_many_configs');
}
