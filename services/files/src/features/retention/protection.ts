import { fail } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';

type Protected = Pick<FileRow, 'legalHold' | 'retainUntil'>;

/** Refuses the deletion of a file that is held or must be kept. */
export function checkRemovable({ legalHold, retainUntil }: Protected): void {
  if (legalHold) throw fail('legal_hold', [{ field: 'legalHold', message: 'The file is held; release it first' }]);
  if (retainUntil && retainUntil > new Date())
    throw fail('legal_hold', [{ field: 'retainUntil', message: `Must be kept until ${retainUntil.toISOString()}` }]);
}

/** Whether a file is held or must be kept. */
export function isProtected({ legalHold, retainUntil }: Protected): boolean {
  return legalHold || (retainUntil !== null && retainUntil > new Date());
}

/** The condition of files that are neither held nor must be kept. */
export function removable() {
  return { legalHold: false, OR: [{ retainUntil: null }, { retainUntil: { lte: new Date() } }] };
}

const dayMs = 86_400_000;

/** When to try again to remove a protected file: jobs do not know when it is released. */
export function protectedRetryAt(): Date {
  return new Date(Date.now() + dayMs);
}
