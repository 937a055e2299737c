import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { type files, fileUploaded } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asFile } from './file.ts';
import { entityColumns } from './follow-merges.ts';
import { type ReceivedFile, receiveFile } from './stored-object.ts';

export const uploadFile = (tools: Tools): Handler<typeof files.uploadFile, ReceivedFile> => ({
  receive: (file, context) => receiveFile(tools, file, context),

  discard: ({ stored }) => tools.store.remove(stored.objectKey),

  async run({ body, found: { stored, filename }, caller, tx, emit }) {
    const row = await tx.file.create({
      data: {
        ...stored,
        filename,
        ...(await entityColumns(tools, { tx, tenantId: caller.tenantId as number, entity: body })),
        uploadedBy: actingUserId(caller) ?? null,
        teamId: onlyTeamOf(caller),
      },
    });
    const file = asFile(row);
    emit(fileUploaded, { data: { fileId: file.id }, record: file });
    return file;
  },
});
