import { fileUpdated } from '@tandem/files-contract';
import { ownedRecords } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asFile } from '../files/file.ts';

/** Files belong to the user who uploaded them. Nobody is expected to act on them, so they are not handed over. */
export const fileRecords = {
  files: ownedRecords({
    model: (tx: Tx) => tx.file,
    owner: 'uploadedBy',
    exists: { deletedAt: null },
    updated: ({ emit, row, values, changes }) =>
      emit(fileUpdated, { data: { fileId: row.id, fields: Object.keys(values) }, record: asFile(row), changes }),
  }),
};
