import { type IdPath, type ResourceType, resourceTypes } from '@tandem/contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import type { AuditLog as AuditRow } from '../../generated/client.ts';

// Exclusive upper bound of numeric ids in public ids.
const idEnd = 2 ** 40;

/** A row without the columns of the chain. */
export type Entry = Omit<AuditRow, 'tenantId' | 'hash' | 'hashForm'>;

/** Encodes an id of the tenant; undefined for anything else. */
export type Encode = (type: unknown, id: unknown) => string | undefined;

export function encoderOf(ids: IdCodec, tenantId: number): Encode {
  return (type, id) => (isResource(type) && isId(id) ? ids.encode(type, tenantId, id) : undefined);
}

/**
 * An entry with public ids only: what exports contain, and what hashes of the second form cover, so that whoever has an
 * export can verify it. Its fields must never change; a change needs another form.
 */
export function publicRecord(entry: Entry, encode: Encode) {
  return {
    position: entry.position,
    id: encode('audit_log', entry.id) ?? null,
    eventId: entry.eventId,
    action: entry.action,
    occurredAt: entry.occurredAt.toISOString(),
    outcome: entry.outcome,
    actorType: entry.actorType,
    actorId: encode('user', entry.actorId) ?? null,
    actorName: entry.actorName,
    onBehalfOfId: encode('user', entry.onBehalfOfId) ?? null,
    keyId: encode('api_key', entry.keyId) ?? null,
    targetType: entry.targetType,
    targetId: encode(entry.targetType, entry.targetId) ?? String(entry.targetId),
    changes: withPublicIds(entry, encode),
    ip: entry.ip,
    userAgent: entry.userAgent,
    requestId: entry.requestId,
    environment: entry.recordEnvironment,
  };
}

/**
 * What hashes of the third form cover: a digest instead of the changes, whose values an erasure of personal data can
 * remove. Its fields must never change either.
 */
export function hashedRecord(entry: Entry, encode: Encode) {
  const { changes: _, ...rest } = publicRecord(entry, encode);
  return { ...rest, changesDigest: entry.changesDigest };
}

/** Changes of an entry, with public ids at the paths that its event declares. */
export function withPublicIds({ changes, changedIds }: Pick<Entry, 'changes' | 'changedIds'>, encode: Encode): unknown {
  if (!changes || !changedIds) return changes;
  const copy = structuredClone(changes) as object;
  compileRewriter(pathsIn(changedIds))(copy, (type, found) => encode(type, found) ?? found);
  return copy;
}

/** Paths of ids inside `changes`. */
export function pathsIn(changedIds: unknown): IdPath[] {
  return (changedIds as IdPath[]).flatMap(({ path: [field = '', ...rest], type }) =>
    ['from', 'to'].map((side) => ({ path: [field, side, ...rest], type })),
  );
}

function isResource(type: unknown): type is ResourceType {
  return typeof type === 'string' && Object.hasOwn(resourceTypes, type);
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) > 0 && Number(id) < idEnd;
}
