import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '@tandem/caller';
import { type connectorConfigs, connectorConfigUpdated } from '@tandem/integrations-contract';
import { diff, fail, toJsonColumn } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tx } from '../../handler.ts';
import { cancelRuns } from '../connector-runs/run.ts';
import { fromBeginning, planSyncs } from '../connector-runs/start-sync.ts';
import { authorizationOf } from '../webhooks/webhook.ts';
import { checkAccount } from './check-account.ts';
import {
  aboutConfig,
  asConnectorConfig,
  type ConfigRow,
  checkIsOwn,
  lockConfig,
  lockConfigs,
  lockConnectionOf,
  mappingsOf,
  readSettings,
} from './connector-config.ts';

export const updateConnectorConfig: Handler<typeof connectorConfigs.updateConnectorConfig> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const { connectionId, fieldMappings, active } = body;
  // Deactivating a config needs no permission for its events.
  const isAuthorizing = Boolean(body.settings || fieldMappings || active || connectionId !== undefined);
  if (isAuthorizing) await lockConnectionFor(tx, params.id, { connectionId, active }, caller);
  if (isAuthorizing) await lockConfigs(tx);
  const before = await lockConfig(tx, params.id);
  ifMatch(before);
  const connector = connectorOf(before.connectorKey);
  const asked = { settings: body.settings ?? before.settings, fieldMappings: fieldMappings ?? mappingsOf(before) };
  const settings = isAuthorizing ? toJsonColumn(readSettings(connector, asked, caller)) : undefined;
  const { values, audit, isEmpty } = diff(before, {
    ...(connectionId !== undefined && { connectionId }),
    ...(settings && { settings }),
    ...(fieldMappings && { fieldMappings }),
    ...(active !== undefined && { active }),
  });
  if (isEmpty) return asConnectorConfig(before);
  // Other settings can concern records that have not changed since the last sync.
  const isReadAgain = 'connectionId' in values || 'fieldMappings' in values || areOther(before.settings, settings);
  const [updated] = await tx.connectorConfig.updateManyAndReturn({
    where: { id: before.id },
    data: {
      ...values,
      ...(active !== undefined && { inactiveReason: null }),
      ...(isReadAgain && fromBeginning),
      ...(isAuthorizing && authorizationOf(caller)),
      updatedAt: new Date(),
      version: { increment: 1 },
    },
  });
  if (active || 'connectionId' in values) await checkAccount(tx, updated as ConfigRow);
  if (active === false) await cancelRuns(tx, [before.id]);
  const row = await planSyncs({ tx, schedule }, updated as ConfigRow);
  const config = asConnectorConfig(row);
  emit(connectorConfigUpdated, {
    data: { ...aboutConfig(row), fields: Object.keys(values) },
    record: config,
    changes: audit,
  });
  return config;
};

/** Whether settings differ in more than the time between syncs. */
function areOther(before: unknown, after: object | undefined): boolean {
  const withoutTime = (settings: unknown) => ({ ...(settings as object), everyMinutes: null });
  return after !== undefined && !isDeepStrictEqual(withoutTime(before), withoutTime(after));
}

/** Locks the connection that the config will have, which the caller authorizes it for. */
async function lockConnectionFor(
  tx: Tx,
  id: number,
  { connectionId, active }: { connectionId: number | undefined; active: boolean | undefined },
  caller: Caller,
): Promise<void> {
  const config = await tx.connectorConfig.findFirst({ where: { id } });
  if (!config) throw fail('not_found');
  const { connectorKey } = config;
  if (connectionId !== undefined) return lockConnectionOf(tx, connectorKey, connectionId, caller);
  // The connection may belong to somebody else, so that a caller narrowed to their own records does not see it.
  const [found] = await tx.sql<{ createdBy: number | null }>`SELECT created_by::float8 AS "createdBy" FROM connection
    WHERE id = ${config.connectionId} AND deleted_at IS NULL FOR UPDATE`;
  if (found) checkIsOwn({ connectorKey, createdBy: found.createdBy }, caller);
  else if (active) throw fail('connection_deleted');
}
