import { createHash } from 'node:crypto';
import type { AuditLog as AuditRow } from '../../generated/client.ts';

/** An audit log row without its hash. */
export type Entry = Omit<AuditRow, 'tenantId' | 'hash'>;

/** Hash of an entry: covers the previous hash and all fields of the entry in canonical form. */
export function hashOf(previous: string, entry: Entry): string {
  return createHash('sha256')
    .update(`${previous}\n${canonical(entry)}`)
    .digest('hex');
}

const chained = [
  'id',
  'position',
  'eventId',
  'action',
  'occurredAt',
  'actorType',
  'actorId',
  'actorName',
  'onBehalfOfId',
  'keyId',
  'targetType',
  'targetId',
  'changes',
  'ip',
  'userAgent',
  'requestId',
  'recordEnvironment',
  'outcome',
] as const satisfies (keyof Entry)[];

// Added by later releases. Null values are skipped, so the hashes of older entries stay valid.
const chainedIfPresent = ['changedIds'] as const satisfies (keyof Entry)[];

function canonical(entry: Entry): string {
  const present = chainedIfPresent.filter((field) => entry[field] !== null);
  return JSON.stringify([
    ...chained.map((field) => sorted(entry[field])),
    ...present.map((field) => ({ [field]: sorted(entry[field]) })),
  ]);
}

/** Sorts object keys recursively, because jsonb does not preserve key order. */
function sorted(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
