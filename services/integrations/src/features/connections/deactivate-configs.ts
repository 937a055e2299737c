import type { ConnectorConfig } from '@tandem/integrations-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { cancelRuns } from '../connector-runs/run.ts';

type Reason = NonNullable<z.output<typeof ConnectorConfig>['inactiveReason']>;

/**
 * Deactivates the configs of a connection, also those of others, which a caller who is narrowed to their own records does not
 * see. Their runs are cancelled. The caller holds the lock of the connection.
 * @param options.exceptOf the user whose configs stay active; null for those that no user authorized
 */
export async function deactivateConfigs(
  tx: Tx,
  connectionId: number,
  reason: Reason,
  options: { exceptOf?: number | null } = {},
): Promise<void> {
  const { exceptOf } = options;
  const isOfAll = exceptOf === undefined;
  const configs = await tx.sql<{ id: number }>`UPDATE connector_config
    SET active = false, inactive_reason = ${reason}, next_sync_at = NULL, sync_round = sync_round + 1,
      updated_at = now(), version = version + 1
    WHERE connection_id = ${connectionId} AND active
      AND (${isOfAll}::boolean OR authorized_by IS DISTINCT FROM ${exceptOf ?? null}::bigint) RETURNING id`;
  await cancelRuns(
    tx,
    configs.map(({ id }) => id),
  );
}
