import type { Caller } from '@tandem/caller';
import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Peers } from '../../handler.ts';

type Files = Pick<Peers, 'files'>;

const linkSeconds = 900;

/**
 * Finds the file of a lesson. Not inside a transaction.
 * @throws 403 without the permission to read files, 422 unless it is a file that the caller may read and that can be downloaded
 */
export async function checkFile({ files }: Files, fileId: number | null | undefined, caller: Caller) {
  if (fileId === null || fileId === undefined) return undefined;
  const reach = reachOf(caller, 'files:read');
  // The request may not name the file: another type makes the service read the one that the lesson has.
  if (reach === 'none') throw fail('forbidden', [{ field: 'fileId', message: 'Needs the permission files:read' }]);
  const as = asService(caller, reach);
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
