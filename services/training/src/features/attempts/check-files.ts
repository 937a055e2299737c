import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { type FieldError, unknownId } from '@tandem/contract';
import { asService, fail } from '@tandem/service';
import type { Tools } from '../../handler.ts';

/** @throws 422 unless all are files of the tenant */
export async function checkFiles({ peers }: Pick<Tools, 'peers'>, caller: Caller, fileIds: number[]): Promise<void> {
  const found = await Promise.all(
    fileIds.map((id) => orAbsent(peers.files.findFile({ params: { id }, as: asService(caller) }))),
  );
  const errors = found.flatMap((file, index): FieldError[] =>
    file ? [] : [{ field: `fileIds.${index}`, message: unknownId('file') }],
  );
  if (errors.length) throw fail('validation_failed', errors);
}
