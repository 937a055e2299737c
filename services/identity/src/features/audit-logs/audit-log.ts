import type { Caller } from '@tandem/caller';
import { AuditLog } from '@tandem/identity-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import type { z } from 'zod';
import type { AuditLog as AuditRow } from '../../generated/client.ts';
import { type Encode, encoderOf, pathsIn } from './record.ts';

const { actor, context, outcome } = AuditLog.shape;

/** Converts a row to the API resource. Encodes ids here, not at the gateway, because their types vary per entry. */
export function asAuditLog(row: AuditRow, ids: IdCodec): z.output<typeof AuditLog> {
  const { actorType, actorId, actorName, onBehalfOfId, ip, userAgent, requestId, recordEnvironment } = row;
  const encode = encoderOf(ids, row.tenantId);
  return {
    id: row.id,
    action: row.action,
    occurredAt: row.occurredAt,
    keyId: row.keyId,
    actor: { type: actor.shape.type.parse(actorType), id: actorId, name: actorName },
    onBehalfOf: onBehalfOfId === null ? null : { id: onBehalfOfId },
    targets: [{ type: row.targetType, id: encode(row.targetType, row.targetId) ?? String(row.targetId) }],
    changes: changesOf(row, encode),
    context: { ip, userAgent, requestId, environment: context.shape.environment.parse(recordEnvironment) },
    outcome: outcome.parse(row.outcome),
  };
}

type Changes = Record<string, { from: unknown; to: unknown }>;

/** Changes of an entry, with public ids at the paths that its event declares and nowhere else. */
function changesOf({ changes, changedIds }: AuditRow, encode: Encode): Changes {
  const shown = (changes ?? {}) as Changes;
  if (!changedIds) return withoutMarkers(shown, encode);
  compileRewriter(pathsIn(changedIds))(shown, (type, found) => encode(type, found) ?? found);
  return shown;
}

/**
 * Entries without id paths mark ids as `{ $type, $id }`, but only as a whole field value or as a list item. Similar
 * objects anywhere else are customer data.
 */
function withoutMarkers(changes: Changes, encode: Encode): Changes {
  const one = (value: unknown) => {
    const { $type, $id, ...rest } = (value ?? {}) as { $type?: unknown; $id?: unknown };
    return (Object.keys(rest).length === 0 && encode($type, $id)) || value;
  };
  const side = (value: unknown) => (Array.isArray(value) ? value.map(one) : one(value));
  return Object.fromEntries(
    Object.entries(changes).map(([field, { from, to }]) => [field, { from: side(from), to: side(to) }]),
  );
}

/** Filter for the entries that a caller may list: sandbox keys must not see live entries. */
export function visibleTo(caller: Caller): { recordEnvironment?: string } {
  return caller.type === 'key' && caller.environment === 'sandbox' ? { recordEnvironment: 'sandbox' } : {};
}
