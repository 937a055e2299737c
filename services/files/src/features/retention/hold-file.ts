import { fileHeld, type retention } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { asFile, lockFile, writeFile } from '../files/file.ts';

export const holdFile: Handler<typeof retention.holdFile> = async ({ params, body, tx, emit, ifMatch }) => {
  // Also a deleted one, which is kept then.
  const row = await lockFile(tx, params.id);
  ifMatch(row);
  const { reason } = body;
  if (row.legalHold && row.holdReason === reason) return asFile(row);
  const file = asFile(await writeFile(tx, row.id, { legalHold: true, holdReason: reason }));
  const changes = { legalHold: { from: row.legalHold, to: true }, holdReason: { from: row.holdReason, to: reason } };
  emit(fileHeld, { data: { fileId: row.id, reason }, record: file, changes });
  return file;
};
