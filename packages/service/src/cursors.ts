import { createHmac } from 'node:crypto';
import { createSeal, isBase64url } from '@tandem/sealed';
import { readSecretList } from '@tandem/secrets';

/** The end of a list page: the sort value and the id of its last record. */
export type Position = [value: unknown, id: number];

/** Positions as opaque cursors: encrypted, because they contain internal ids, and bound to one list. */
export interface Cursors {
  /** @param context identifies the list with tenant, environment and order */
  write(position: Position, context: string): string;
  /** Returns the position; undefined for a cursor that was changed or belongs to another list. */
  read(cursor: string, context: string): Position | undefined;
}

/**
 * Creates cursors that are encrypted under keys derived from INTERNAL_SECRETS. New cursors use the first secret; a
 * cursor stays readable as long as its secret is listed.
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
          // Encrypted under another secret.
        }
      }
      return undefined;
    },
  };
}
