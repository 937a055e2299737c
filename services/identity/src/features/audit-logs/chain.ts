import { createHash } from 'node:crypto';
import type { AuditLog as AuditRow } from '../../generated/client.ts';
import { type Encode, type Entry, hashedRecord, publicRecord, withPublicIds } from './record.ts';

/** The form of the hashes of new entries. */
export const hashForm = 3;

/**
 * Hash of an entry: covers the previous hash and the public form of the entry as canonical JSON (RFC 8785: sorted keys,
 * no spaces), so that the owner of an export can calculate it.
 */
export function hashOf(previous: string, entry: Entry, encode: Encode): string {
  return digest(previous, canonical(hashedRecord(entry, encode)));
}

/** Digest of the changes of an entry in their public form. The salt keeps erased values from being guessed. */
export function digestOfChanges(salt: string, entry: Pick<Entry, 'changes' | 'changedIds'>, encode: Encode): string {
  return digest(salt, canonical(withPublicIds(entry, encode)));
}

const secondForm = 2;

/** Whether a row has the hash that follows from the previous hash and its fields. Erased changes are not compared. */
export function isLinked(previous: string, row: AuditRow, encode: Encode): boolean {
  if (row.hashForm === hashForm) return row.hash === hashOf(previous, row, encode) && hasItsChanges(row, encode);
  if (row.hashForm === secondForm) return row.hash === digest(previous, canonical(publicRecord(row, encode)));
  return row.hash === firstHashOf(previous, row);
}

function hasItsChanges(row: AuditRow, encode: Encode): boolean {
  if (row.changes === null) return row.changesSalt === null;
  return row.changesSalt !== null && row.changesDigest === digestOfChanges(row.changesSalt, row, encode);
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

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function digest(previous: string, text: string): string {
  return createHash('sha256').update(`${previous}\n${text}`).digest('hex');
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
