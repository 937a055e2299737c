import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { plans } from '@tandem/contract';
import { files } from '@tandem/files-contract';
import { internalEntitlements, internalTenants, internalUsers, tenantSettingsFrom } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { createLog } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
import { createDocuments } from './documents/documents.ts';
import { prepareNewContent } from './features/content/on-content-added.ts';
import { prepareContent } from './features/content/prepare-content.job.ts';
import { exportHandlers } from './features/exports/index.ts';
import { discardObject } from './features/files/discard-object.job.ts';
import { followMerges } from './features/files/follow-merges.ts';
import { fileHandlers } from './features/files/index.ts';
import { filesOfLead } from './features/leads/files-of-lead.job.ts';
import { followLeadDeletions } from './features/leads/on-lead-deleted.ts';
import { nameHandlers } from './features/names/index.ts';
import { ocrHandlers } from './features/ocr/index.ts';
import { readDocument } from './features/ocr/read-document.job.ts';
import { eraseSignature } from './features/personal-data/erase-signature.job.ts';
import { filesData } from './features/personal-data/files-data.ts';
import { deleteFileAt } from './features/retention/delete-file-at.job.ts';
import { retentionHandlers } from './features/retention/index.ts';
import { signatureHandlers, signatureJobs } from './features/signatures/index.ts';
import { createPdfWork } from './features/signatures/pdf/pdf-work.ts';
import { readSigningKeys } from './features/signatures/pdf/signing-key.ts';
import { createProviders } from './features/signatures/providers/providers.ts';
import { sealedSignatures } from './features/signatures/stored-signature.ts';
import { transferHandlers } from './features/transfers/index.ts';
import { inspectUpload } from './features/transfers/inspect-upload.job.ts';
import type { StorageLimit } from './features/usage/storage-limit.ts';
import { versionHandlers } from './features/versions/index.ts';
import { fileRecords } from './features/work/owned-records.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Linked, SignLink, Tools } from './handler.ts';
import { clamdScanner } from './scan/clamd.ts';
import type { FilesSettings } from './settings.ts';
import { type DirectUpload, localStore, type SignUpload } from './store/local.ts';
import { s3Store } from './store/s3.ts';

// A change of the plan has an effect after this time.
const planCacheMs = 2_000;

/** Definition of the files service: contract, handlers, storage driver, and the consumers that move files between teams and leads. */
export async function filesService(
  settings: FilesSettings,
): Promise<ServiceDefinition<typeof files, PrismaClient, FilesSettings>> {
  const log = createLog('files');
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const publicUrl = settings.PUBLIC_URL.replace(/\/$/, '');
  const uploadLinks = createLinkTokens<DirectUpload>(seal, 'file-uploads');
  const signUpload: SignUpload = (upload, expiresAt) =>
    `${publicUrl}/v1/public/files/${uploadLinks.issue(upload, expiresAt)}`;
  const store =
    settings.FILES_DRIVER === 's3' ? await s3Store(settings) : await localStore(settings.DATA_DIR, signUpload);
  const identity = createServiceClient({
    operations: { ...internalUsers, ...internalEntitlements, ...internalTenants },
    baseUrl: settings.IDENTITY_URL,
    service: 'files',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const mailer = createMailer({ settings, seal, log });
  const { providers, close: closeProviders } = createProviders(settings);
  const storageLimitOf = cachedPerTenant<StorageLimit>({
    name: 'The storage of the plan',
    ttlMs: planCacheMs,
    // Uploads go on while identity is not available: within the limit that was known last.
    fallback: undefined,
    read: async (as) => plans[(await identity.readEntitlements({ query: {}, as })).plan].storageBytes,
    log,
  });
  const tools: Tools = {
    store,
    links: createLinkTokens<Linked>(seal, 'files'),
    uploadLinks,
    publicUrl,
    maxBytes: settings.FILES_MAX_BYTES,
    uploadBytesMax: settings.FILES_UPLOAD_MAX_BYTES,
    inlineBytesMax: settings.FILES_INLINE_MAX_BYTES,
    ids: createIdCodec(settings.IDS_ALPHABET),
    storageLimitOf,
    seal,
    mailer,
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
    signTokens: createLinkTokens<SignLink>(seal, 'signatures'),
    signingKeys: readSigningKeys(settings.SIGNING_KEY),
    pdf: createPdfWork(),
    providers,
    scanner: settings.CLAMD_ADDRESS ? clamdScanner(settings.CLAMD_ADDRESS) : undefined,
    rescanMs: settings.CLAMD_RETRY_SECONDS * 1_000,
  };
  const reader = { store, documents: createDocuments(), ai: createAi(settings, createLog('files')) };
  const work = ownedWork(identity, fileRecords);
  const merges = followMerges(tools);
  const person = personalData('files', filesData(tools));
  return {
    name: 'files',
    operations: files,
    handlers: {
      ...fileHandlers(tools),
      ...signatureHandlers(tools),
      ...retentionHandlers(tools),
      ...transferHandlers(tools),
      ...versionHandlers(tools),
      ...ocrHandlers(reader),
      ...nameHandlers,
      ...exportHandlers,
      ...person.handlers,
    },
    consumers: [prepareNewContent, followLeadDeletions, ...work.consumers, ...merges.consumers, ...person.consumers],
    jobs: [
      discardObject(store),
      inspectUpload(tools),
      deleteFileAt,
      filesOfLead(tools),
      prepareContent(reader),
      readDocument(reader),
      eraseSignature,
      ...signatureJobs(tools),
      ...work.jobs,
      ...merges.jobs,
      ...person.jobs,
    ],
    tenantRemoval: { before: (tenantId) => store.removeFolder(`${tenantId}/`) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      File: { owners: ['uploadedBy'], team: 'teamId' },
      FileVersion: { through: ['file'] },
      OcrJob: { through: ['file'] },
      OcrPage: { through: ['ocrJob'] },
      FileText: { through: ['file'] },
      SignatureRequest: { through: ['file'] },
      Signer: { through: ['request'] },
      SignatureField: { through: ['request'] },
      SignatureEvent: { through: ['request'] },
      SignatureWebhook: 'shared',
      MergedLead: 'shared',
      DeletedLead: 'shared',
      StorageUsage: 'shared',
    },
    mail: mailer,
    sealed: [sealedSignatures],
    // Longer than providers repeat an event.
    purge: [{ table: 'signature_webhook', column: 'received_at', days: 60 }],
    // Making a document waits for a thread, and providers take seconds.
    jobsOutsideMax: 8,
    settings,
    async close() {
      await Promise.all([reader.documents.close(), reader.ai.close(), tools.pdf.close()]);
      await closeProviders();
    },
  };
}
