import { actingUserId, onlyTeamOf } from '@tandem/caller';
import type { files } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { scanLater } from '../transfers/inspect-upload.job.ts';
import { announceContent } from '../transfers/settle-upload.ts';
import { checkQuota } from '../usage/quota.ts';
import { asFile } from './file.ts';
import { entityColumns } from './follow-merges.ts';
import { type ReceivedFile, receiveFile } from './stored-object.ts';

export const uploadFile = (tools: Tools): Handler<typeof files.uploadFile, ReceivedFile> => ({
  receive: (file, context) => receiveFile(tools, file, context),

  discard: ({ stored }) => tools.store.remove(stored.objectKey),

  async run({ body, found: { stored, filename, storageLimit }, caller, tx, emit, schedule }) {
    const row = await tx.file.create({
      data: {
        ...stored,
        filename,
        ...(await entityColumns(tools, { tx, tenantId: caller.tenantId as number, entity: body })),
        uploadedBy: actingUserId(caller) ?? null,
        teamId: onlyTeamOf(caller),
      },
    });
    await checkQuota(tx, storageLimit);
    const file = asFile(row);
    await scanLater(schedule, file.id, stored);
    announceContent({ emit }, file);
    return file;
  },
});
