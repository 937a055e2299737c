import { fail } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { findPresent } from '../files/file.ts';

// An upload that is not completed by then is removed.
const pendingMs = 86_400_000;

/** Finds a file whose upload is not complete. */
export async function findPending(tx: Tx, id: number): Promise<FileRow> {
  const file = await findPresent(tx, id);
  if (file.status !== 'pending_upload') throw fail('not_pending');
  return file;
}

/** When a link of an upload expires: not later than the upload itself. */
export function linkExpiry({ createdAt }: Pick<FileRow, 'createdAt'>, seconds: number): Date {
  return new Date(Math.min(Date.now() + seconds * 1_000, createdAt.getTime() + pendingMs));
}
