import { createHash } from 'node:crypto';
import type { AuditLog as AuditRow } from '../../generated/client.ts';
import { type Encode, type Entry, publicRecord } from './record.ts';

/** The form of the hashes of new entries. */
export const hashForm = 2;

/**
 * Hash of an entry: covers the previous hash and the public form of the entry as canonical JSON (RFC 8785: sorted keys,
 * no spaces), so that the owner of an export can calculate it.
 */
export function hashOf(previous: string, entry: Entry, encode: Encode): string {
  return digest(previous, JSON.stringify(sorted(publicRecord(entry, encode))));
}

/** Whether a row has the hash that follows from the previous hash and its fields. */
export function isLinked(previous: string, row: AuditRow, encode: Encode): boolean {
  return row.hash === (row.hashForm === hashForm ? hashOf(previous, row, encode) : firstHashOf(previous, row));
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

// Null values are skipped, so the hashes of older entries stay valid.
const chainedIfPresent = ['changedIds'] as const satisfies (keyof Entry)[];

/** Hash of the first form, of entries without `hashForm`: over the columns, which only the platform can calculate. */
export function firstHashOf(previous: string, entry: Entry): string {
  const present = chainedIfPresent.filter((field) => entry[field] !== null);
  return digest(
    previous,
    JSON.stringify([
      ...chained.map((field) => sorted(entry[field])),
      ...present.map((field) => ({ [field]: sorted(entry[field]) })),
    ]),
  );
}

function digest(previous: string, canonical: string): string {
  return createHash('sha256').update(`${previous}\n${canonical}`).digest('hex');
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
