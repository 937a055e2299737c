import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { files } from '@tandem/files-contract';
import { internalUsers } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
import { discardObject } from './features/files/discard-object.job.ts';
import { followMerges } from './features/files/follow-merges.ts';
import { fileHandlers } from './features/files/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { filesData } from './features/personal-data/files-data.ts';
import { versionHandlers } from './features/versions/index.ts';
import { fileRecords } from './features/work/owned-records.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Linked, Tools } from './handler.ts';
import type { FilesSettings } from './settings.ts';
import { localStore } from './store/local.ts';
import { s3Store } from './store/s3.ts';

/** Definition of the files service: contract, handlers, storage driver, and the consumers that move files between teams and leads. */
export async function filesService(
  settings: FilesSettings,
): Promise<ServiceDefinition<typeof files, PrismaClient, FilesSettings>> {
  const store = settings.FILES_DRIVER === 's3' ? await s3Store(settings) : await localStore(settings.DATA_DIR);
  const tools: Tools = {
    store,
    links: createLinkTokens<Linked>(createSeal(settings.ENCRYPTION_KEY), 'files'),
    publicUrl: settings.PUBLIC_URL.replace(/\/$/, ''),
    maxBytes: settings.FILES_MAX_BYTES,
    ids: createIdCodec(settings.IDS_ALPHABET),
  };
  const identity = createServiceClient({
    operations: internalUsers,
    baseUrl: settings.IDENTITY_URL,
    service: 'files',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const work = ownedWork(identity, fileRecords);
  const merges = followMerges(tools);
  const person = personalData('files', filesData);
  return {
    name: 'files',
    operations: files,
    handlers: { ...fileHandlers(tools), ...versionHandlers(tools), ...nameHandlers, ...person.handlers },
    consumers: [...work.consumers, ...merges.consumers, ...person.consumers],
    jobs: [discardObject(store), ...work.jobs, ...merges.jobs, ...person.jobs],
    tenantRemoval: { before: (tenantId) => store.removeFolder(`${tenantId}/`) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      File: { owners: ['uploadedBy'], team: 'teamId' },
      FileVersion: { through: ['file'] },
      MergedLead: 'shared',
    },
    settings,
  };
}
