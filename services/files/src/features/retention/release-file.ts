import { fileReleased, type retention } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asFile, lockFile, writeFile } from '../files/file.ts';

export const releaseFile: Handler<typeof retention.releaseFile> = async ({ params, body, tx, emit, ifMatch }) => {
  const row = await lockFile(tx, params.id);
  if (!row.legalHold) throw fail('not_held');
  ifMatch(row);
  const file = asFile(await writeFile(tx, row.id, { legalHold: false, holdReason: null }));
  const changes = { legalHold: { from: true, to: false }, holdReason: { from: row.holdReason, to: null } };
  emit(fileReleased, { data: { fileId: row.id, reason: body.reason }, record: file, changes });
  return file;
};
