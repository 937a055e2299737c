import { createHash } from 'node:crypto';
import type { AuditLog as AuditRow } from '../../generated/client.ts';

/** A row before it has its place in the chain. */
export type Entry = Omit<AuditRow, 'tenantId' | 'hash'>;

/** The hash of a row: over the one before it and everything that stands in the row, in one fixed form. */
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

// Fields that later releases added: an entry without one has the hash that it was written with.
const chainedIfPresent = ['changedIds'] as const satisfies (keyof Entry)[];

function canonical(entry: Entry): string {
  const present = chainedIfPresent.filter((field) => entry[field] !== null);
  return JSON.stringify([
    ...chained.map((field) => sorted(entry[field])),
    ...present.map((field) => ({ [field]: sorted(entry[field]) })),
  ]);
}

/** The same value with the keys of all objects in order: jsonb gives them back in an order of its own. */
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
