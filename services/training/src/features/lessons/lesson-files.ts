import type { Caller } from '@tandem/caller';
import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField, reachOf } from '@tandem/service';
import type { Peers } from '../../handler.ts';

type Files = Pick<Peers, 'files'>;

const linkSeconds = 900;

/** Fails with 422 unless the file exists, the caller may read it, and it can be downloaded. Not inside a transaction. */
export async function checkFile({ files }: Files, fileId: number | null | undefined, caller: Caller) {
  if (fileId === null || fileId === undefined) return undefined;
  const as = asService(caller, reachOf(caller, 'files:read'));
  const file = await orAbsent(files.findFile({ params: { id: fileId }, as }));
  if (!file) throw failField('fileId', unknownId('file'));
  if (file.status !== 'available')
    throw failField('fileId', 'The file is quarantined and cannot be downloaded; send another file');
  return file;
}

/**
 * A link to the file of a lesson: everybody who may read the lesson may read its file. Null without a file, or if it was
 * deleted or quarantined. Not inside a transaction.
 */
export async function fileUrlOf({ files }: Files, fileId: number | null, caller: Caller): Promise<string | null> {
  if (fileId === null) return null;
  return files
    .linkFile({ params: { id: fileId }, body: { expiresIn: linkSeconds }, as: asService(caller) })
    .then(({ url }) => url)
    .catch((error: unknown) => {
      if (error instanceof ServiceCallError && (error.status === 404 || error.status === 409)) return null;
      throw error;
    });
}
