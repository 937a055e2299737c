import type { Caller } from '@tandem/caller';
import { type ResourceType, resourceTypes } from '@tandem/contract';
import type { ChangedId } from '@tandem/events';
import type { AuditLog } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { z } from 'zod';
import type { AuditLog as AuditRow } from '../../generated/client.ts';

/** A row as the contract shows it. Its ids are of many kinds, so they get their public form here and not at the gateway. */
export function asAuditLog(row: AuditRow, ids: IdCodec): z.output<typeof AuditLog> {
  const { actorType, actorId, actorName, onBehalfOfId, ip, userAgent, requestId, recordEnvironment } = row;
  const encode = (type: string, id: number) =>
    type in resourceTypes ? ids.encode(type as ResourceType, row.tenantId, id) : String(id);
  return {
    ...(row as Pick<AuditRow, 'id' | 'action' | 'occurredAt' | 'keyId'>),
    actor: { type: actorType as Caller['type'], id: actorId, name: actorName },
    onBehalfOf: onBehalfOfId === null ? null : { id: onBehalfOfId },
    targets: [{ type: row.targetType, id: encode(row.targetType, row.targetId) }],
    changes: shown(row.changes ?? {}, encode) as Record<string, { from: unknown; to: unknown }>,
    context: { ip, userAgent, requestId, environment: recordEnvironment as Caller['environment'] },
    outcome: 'success',
  };
}

function shown(changes: unknown, encode: (type: string, id: number) => string): unknown {
  if (typeof changes !== 'object' || changes === null) return changes;
  if (Array.isArray(changes)) return changes.map((one) => shown(one, encode));
  const { $type, $id } = changes as Partial<ChangedId>;
  if (typeof $type === 'string' && typeof $id === 'number') return encode($type, $id);
  return Object.fromEntries(Object.entries(changes).map(([field, value]) => [field, shown(value, encode)]));
}

/** What a caller sees of the log: a sandbox key must not learn what happened to live data. */
export function visibleTo(caller: Caller): { recordEnvironment?: string } {
  return caller.type === 'key' && caller.environment === 'sandbox' ? { recordEnvironment: 'sandbox' } : {};
}
