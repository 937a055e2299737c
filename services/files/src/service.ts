import { files } from '@tandem/files-contract';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import type { ServiceDefinition } from '@tandem/service';
import { discardObject } from './features/files/discard-object.job.ts';
import { fileHandlers } from './features/files/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Linked, Tools } from './handler.ts';
import type { FilesSettings } from './settings.ts';
import { localStore } from './store/local.ts';
import { s3Store } from './store/s3.ts';

/** Definition of the files service: contract, handlers and storage driver. */
export async function filesService(
  settings: FilesSettings,
): Promise<ServiceDefinition<typeof files, PrismaClient, FilesSettings>> {
  const store = settings.FILES_DRIVER === 's3' ? await s3Store(settings) : await localStore(settings.DATA_DIR);
  const tools: Tools = {
    store,
    links: createLinkTokens<Linked>(createSeal(settings.ENCRYPTION_KEY), 'files'),
    publicUrl: settings.PUBLIC_URL.replace(/\/$/, ''),
    maxBytes: settings.FILES_MAX_BYTES,
  };
  return {
    name: 'files',
    operations: files,
    handlers: { ...fileHandlers(tools), ...nameHandlers },
    jobs: [discardObject(store)],
    tenantRemoval: { before: (tenantId) => store.removeFolder(`${tenantId}/`) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: { File: { owners: ['uploadedBy'], team: 'teamId' } },
    settings,
  };
}
