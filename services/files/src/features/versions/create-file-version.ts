import { actingUserId } from '@tandem/caller';
import type { fileVersions } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent, lockPresent } from '../files/file.ts';
import { type ReceivedFile, receiveFile } from '../files/stored-object.ts';
import { scanLater } from '../transfers/inspect-upload.job.ts';
import { checkQuota } from '../usage/quota.ts';
import { addVersion } from './add-version.ts';

export const createFileVersion = (tools: Tools): Handler<typeof fileVersions.createFileVersion, ReceivedFile> => ({
  async admit({ params, tx }) {
    await findPresent(tx, params.id);
  },

  receive: (file, context) => receiveFile(tools, file, context),

  discard: ({ stored }) => tools.store.remove(stored.objectKey),

  async run({ params, body, found, caller, tx, emit, schedule, ifMatch }) {
    const file = await lockPresent(tx, params.id);
    ifMatch(file);
    const { version } = await addVersion({ tx, emit }, file, found.stored, {
      ...body,
      createdBy: actingUserId(caller) ?? null,
    });
    await scanLater(schedule, file.id, found.stored);
    await checkQuota(tx, found.storageLimit);
    return version;
  },
});
