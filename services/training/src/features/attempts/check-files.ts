import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { type FieldError, unknownId } from '@tandem/contract';
import { asService, fail, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';

/**
 * Finds files that are handed in.
 * @returns the checksums of their content, in the same order
 * @throws 403 without the permission to read files, 422 unless all are files that the caller may read and that are available
 */
export async function checkFiles(
  { peers }: Pick<Tools, 'peers'>,
  caller: Caller,
  fileIds: number[],
): Promise<string[]> {
  if (!fileIds.length) return [];
  const reach = reachOf(caller, 'files:read');
  if (reach === 'none')
    throw fail('forbidden', [{ field: 'fileIds', message: 'Files need the permission files:read; hand in a text' }]);
  const as = asService(caller, reach);
  const found = await Promise.all(fileIds.map((id) => orAbsent(peers.files.findFile({ params: { id }, as }))));
  const errors = found.flatMap((file, index): FieldError[] => {
    const field = `fileIds.${index}`;
    if (!file) return [{ field, message: unknownId('file') }];
    if (file.status === 'available') return [];
    return [{ field, message: 'The file is quarantined and cannot be handed in; send another file' }];
  });
  if (errors.length) throw fail('validation_failed', errors);
  return found.flatMap((file) => file?.checksumSha256 ?? []);
}
