import { accessRefused, type internalRefusals, keyAccessRefused, refusalsPerHourMax } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';

type Refusal = z.output<typeof internalRefusals.recordRefusals.body>['refusals'][number];

/**
 * Each entry has its own actor and request, so each is written in its own transaction. A repeated report skips entries
 * that exist.
 */
export const recordRefusals: Handler<typeof internalRefusals.recordRefusals> = async ({ body, tx, inTenant }) => {
  const tenantIds = [...new Set(body.refusals.map(({ tenantId }) => tenantId))];
  // The directory keeps the ids of deleted tenants, for which nothing is recorded.
  const known = await tx.sql<{ id: number }>`SELECT id FROM tenant_directory WHERE id = ANY(${tenantIds}::bigint[])
    AND NOT EXISTS (SELECT FROM tenant_deletion WHERE tenant_number = id AND state IN ('removing', 'completed'))`;
  const tenants = new Set(known.map(({ id }) => id));
  for (const refusal of body.refusals) {
    const { tenantId, environment, userId, keyId, operation, reason, at } = refusal;
    if (!tenants.has(tenantId)) continue;
    await inTenant({ tenantId, environment, actor: actorOf(refusal) }, async ({ tx: inside, emit }) => {
      const [type, id] = keyId === null ? ['user', userId] : ['api_key', keyId];
      // No row is returned for a call that was recorded before, or above the limit of the hour.
      const [isNew] = await inside.sql`
        INSERT INTO refused_call AS held (caller_type, caller_id, hour, recorded)
        VALUES (${type}, ${id}, date_trunc('hour', now()), ARRAY[${refusal.id}::uuid])
        ON CONFLICT (tenant_id, caller_type, caller_id) DO UPDATE SET hour = greatest(held.hour, excluded.hour),
          recorded = CASE WHEN held.hour < excluded.hour THEN excluded.recorded ELSE held.recorded || excluded.recorded END
        WHERE held.hour < excluded.hour
          OR (cardinality(held.recorded) < ${refusalsPerHourMax}::int AND NOT held.recorded @> excluded.recorded)
        RETURNING caller_id`;
      if (!isNew) return;
      emit(keyId === null ? accessRefused : keyAccessRefused, {
        data: { operation, reason },
        record: { id },
        changes: { operation: { from: null, to: operation }, reason: { from: null, to: reason } },
        occurredAt: at,
      });
    });
  }
  return {};
};

function actorOf({ userId, keyId, onBehalfOf, name, ip, userAgent, requestId }: Refusal) {
  return {
    type: keyId === null ? ('user' as const) : ('key' as const),
    userId,
    ...(keyId !== null && { keyId }),
    ...(onBehalfOf !== null && { onBehalfOf }),
    name,
    ip,
    ...(userAgent !== null && { userAgent }),
    requestId,
  };
}
