import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { files } from '@tandem/files-contract';
import { internalTenants, internalUsers, tenantSettingsFrom } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { createLog } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
import { discardObject } from './features/files/discard-object.job.ts';
import { followMerges } from './features/files/follow-merges.ts';
import { fileHandlers } from './features/files/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { filesData } from './features/personal-data/files-data.ts';
import { signatureHandlers, signatureJobs } from './features/signatures/index.ts';
import type { SignLink } from './features/signatures/links.ts';
import { createPdfWork } from './features/signatures/pdf/pdf-work.ts';
import { readSigningKeys } from './features/signatures/pdf/signing-key.ts';
import { createProviders } from './features/signatures/providers/providers.ts';
import { sealedSignatures } from './features/signatures/sign-document.ts';
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
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const log = createLog('files');
  const identity = createServiceClient({
    operations: { ...internalUsers, ...internalTenants },
    baseUrl: settings.IDENTITY_URL,
    service: 'files',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const mailer = createMailer({ settings, seal, log });
  const { providers, close: closeProviders } = createProviders(settings);
  const tools: Tools = {
    store,
    links: createLinkTokens<Linked>(seal, 'files'),
    publicUrl: settings.PUBLIC_URL.replace(/\/$/, ''),
    maxBytes: settings.FILES_MAX_BYTES,
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal,
    mailer,
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
    signTokens: createLinkTokens<SignLink>(seal, 'signatures'),
    signingKeys: readSigningKeys(settings.SIGNING_KEY),
    pdf: createPdfWork(),
    providers,
  };
  const work = ownedWork(identity, fileRecords);
  const merges = followMerges(tools);
  const person = personalData('files', filesData);
  return {
    name: 'files',
    operations: files,
    handlers: {
      ...fileHandlers(tools),
      ...versionHandlers(tools),
      ...signatureHandlers(tools),
      ...nameHandlers,
      ...person.handlers,
    },
    consumers: [...work.consumers, ...merges.consumers, ...person.consumers],
    jobs: [discardObject(store), ...signatureJobs(tools), ...work.jobs, ...merges.jobs, ...person.jobs],
    tenantRemoval: { before: (tenantId) => store.removeFolder(`${tenantId}/`) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      File: { owners: ['uploadedBy'], team: 'teamId' },
      FileVersion: { through: ['file'] },
      SignatureRequest: { through: ['file'] },
      Signer: { through: ['request'] },
      SignatureField: { through: ['request'] },
      SignatureEvent: { through: ['request'] },
      SignatureWebhook: 'shared',
      MergedLead: 'shared',
    },
    mail: mailer,
    sealed: [sealedSignatures],
    // Longer than providers repeat an event.
    purge: [{ table: 'signature_webhook', column: 'received_at', days: 60 }],
    // Making a document waits for a thread, and providers take seconds.
    jobsOutsideMax: 8,
    settings,
    async close() {
      await tools.pdf.close();
      await closeProviders();
    },
  };
}
