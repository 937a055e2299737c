import { createHmac } from 'node:crypto';
import { readSecrets } from '@tandem/caller';
import { createSeal, isBase64url } from '@tandem/sealed';

/** Where a page of a list ends: the value that the list is sorted by, and the id of the last record. */
export type Position = [value: unknown, id: number];

/** Positions as clients hold them: encrypted, since they contain internal ids, and bound to one list. */
export interface Cursors {
  /** @param context names the list with tenant, environment and order */
  write(position: Position, context: string): string;
  /** The position; undefined for a cursor that was changed, or is one of another list. */
  read(cursor: string, context: string): Position | undefined;
}

/**
 * Cursors under the current one of INTERNAL_SECRETS. Those written under an older secret are read as long as it is listed,
 * so that exchanging secrets interrupts nobody who reads a list.
 */
export function createCursors(secrets: string): Cursors {
  const seals = readSecrets(secrets).map(([, secret]) =>
    createSeal(createHmac('sha256', secret).update('cursors').digest('base64')),
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
