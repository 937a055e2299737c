import { createHmac } from 'node:crypto';
import { createSeal, isBase64url } from '@tandem/sealed';
import { readSecretList } from '@tandem/secrets';

/** Where a page of a list ends: the value that the list is sorted by, and the id of the last record. */
export type Position = [value: unknown, id: number];

/** Positions in the form that clients get: encrypted, because they contain internal ids, and bound to one list. */
export interface Cursors {
  /** @param context names the list with tenant, environment and order */
  write(position: Position, context: string): string;
  /** The position; undefined for a cursor that was changed, or is one of another list. */
  read(cursor: string, context: string): Position | undefined;
}

/**
 * Cursors encrypted under keys that are derived from INTERNAL_SECRETS. New cursors use the first secret; a cursor is readable
 * as long as the secret that it was written under is listed.
 */
export function createCursors(secrets: string): Cursors {
  const seals = readSecretList(secrets).map(({ value }) =>
    createSeal(createHmac('sha256', value).update('cursors').digest('base64')),
  );
  const [current] = seals as [(typeof seals)[number]];
  return {
    write: (position, context) =>
      Buffer.from(current.seal(JSON.stringify(position), context), 'base64').toString('base64url'),
    read(cursor, context) {
      if (!isBase64url(cursor)) return undefined;
      for (const seal of seals) {
        try {
          return JSON.parse(seal.open(cursor, context)) as Position;
        } catch {
          // Not under this secret.
        }
      }
      return undefined;
    },
  };
}
