import { event, id, name, secret, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const fileStatuses = ['pending_upload', 'processing', 'available', 'quarantined', 'failed'] as const;
export const ocrStatuses = ['queued', 'processing', 'completed', 'failed'] as const;

/** The states of a file follow those of its current version. */
export const fileStates = stateTable<(typeof fileStatuses)[number]>('File', {
  created: {
    pending_upload: 'createPresignedUpload',
    available: 'uploadFile',
    quarantined: 'uploadFile',
    processing: 'uploadFile',
  },
  changes: {
    pending_upload: { available: 'completeUpload' },
    processing: {},
    available: {},
    quarantined: { available: 'restoreFileVersion' },
    failed: {},
  },
  // The content decides, which nobody can request.
  automatic: {
    pending_upload: { processing: 'completeUpload', quarantined: 'completeUpload' },
    processing: { available: 'inspect-upload.job', quarantined: 'inspect-upload.job', failed: 'inspect-upload.job' },
    available: { quarantined: 'createFileVersion', processing: 'createFileVersion' },
    quarantined: { processing: 'createFileVersion' },
  },
});

export const MediaType = z
  .string()
  .max(127)
  .meta({ examples: ['application/pdf'] });
export const FileStatus = z
  .enum(fileStatuses)
  .describe(
    'Only `available` files can be downloaded. The content of a `pending_upload` is not complete, that of a file in `processing` is being checked, and a `failed` one was not what the upload had declared. Programs and malware are `quarantined`.',
  );
export const Checksum = z.string().meta({
  description: 'The SHA-256 checksum of the content, in hexadecimal',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
});
const Tag = name(50);
const tagsMax = 50;

export const File = z.object({
  id: id('file'),
  filename: name(255).meta({ description: 'The name of the file with its extension', examples: ['offer.pdf'] }),
  contentType: MediaType.describe('The media type that the client declared'),
  size: z.int().meta({ description: 'The size in bytes', examples: [48213] }),
  entityType: text(64)
    .nullable()
    .meta({
      description: 'The type of record that the file belongs to, such as `lead`; not validated',
      examples: ['lead'],
    }),
  entityId: text(64)
    .nullable()
    .meta({
      description: 'The id of the record that the file belongs to; not validated',
      examples: ['khzasVT5ZxaVtyRs'],
    }),
  tags: z
    .array(Tag)
    .max(tagsMax, `Must contain at most ${tagsMax} tags`)
    .meta({ description: `Custom labels, at most ${tagsMax}`, examples: [['signed']] }),
  status: FileStatus,
  allowedTransitions: z.array(FileStatus).describe('The statuses that you can change the file to'),
  quarantineReason: text(500)
    .nullable()
    .meta({ description: 'Why the file is quarantined', examples: ['The content is a program'] }),
  scan: z
    .enum(['clean', 'infected', 'skipped'])
    .nullable()
    .meta({
      description:
        'The result of the malware scanner. Content that is larger than the scanner accepts is `skipped`: it is available and was not scanned. Null if there is no result: no scanner is configured, the scan has not ended, or the content was stored without a scan',
      examples: ['clean'],
    }),
  legalHold: z.boolean().describe('Whether the file is held: it cannot be deleted until it is released'),
  holdReason: text(500)
    .nullable()
    .meta({ description: 'Why the file is held', examples: ['Dispute 2026-17'] }),
  retainUntil: timestamp().nullable().describe('The file cannot be deleted before this time'),
  deleteAt: timestamp()
    .nullable()
    .describe('When the file is deleted; not while it is held. A file that is restored after that time stays'),
  detectedContentType: MediaType.nullable().describe(
    'The media type detected from the content; null if none was detected, as for plain text',
  ),
  checksumSha256: Checksum.nullable().describe(
    'The SHA-256 checksum of the content, in hexadecimal; null before an upload is complete, unless the upload declared it',
  ),
  versionId: id('file_version').describe('The current version of the content'),
  versionNumber: z.int().meta({ description: 'The number of the current version; the first one is 1', examples: [1] }),
  ocrStatus: z
    .enum(ocrStatuses)
    .nullable()
    .meta({
      description: 'The status of the last OCR job for the current version; null if there is none',
      examples: [null],
    }),
  uploadedBy: id('user').nullable().describe('The user who uploaded the file'),
  teamId: id('team')
    .nullable()
    .describe(
      'The team of the user who uploaded the file, if the user is in exactly one team. The file follows the user to another team.',
    ),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A temporary download link. */
export const FileLink = z.object({
  url: secret(
    z.url().meta({
      description: 'The URL of the file; works without credentials',
      examples: ['https://api.example.com/v1/public/files/ThisIsOnlyAnExample'],
    }),
  ),
  expiresAt: timestamp().meta({ description: 'When the link expires', examples: ['2026-03-02T09:30:00.000Z'] }),
});

/** Lifetime of a link, in seconds. */
export const linkSeconds = { min: 60, usual: 900, max: 86_400 };
/** The path of operations on a file. */
export const withId = z.object({ id: id('file') });

// Events of earlier releases have no version.
const record = File.extend({ versionId: File.shape.versionId.nullable() });
const whenMissing = {
  record: { tags: [], versionNumber: 1, allowedTransitions: [], legalHold: false, ocrStatus: null },
};
const change = {
  group: 'files',
  readPermission: 'files:read',
  target: 'file',
  data: z.object({ fileId: id('file') }),
  record,
  whenMissing,
  example: { fileId: 'oDROIGD4LWMZUfLp' },
} as const;

export const fileUploaded = event('file.uploaded', {
  ...change,
  description: 'A file is uploaded and available',
  action: 'file.upload',
});
export const fileQuarantined = event('file.quarantined', {
  ...change,
  description: 'The content of a file is a program or malware',
  action: 'file.quarantine',
  data: change.data.extend({ reason: z.string().describe('Why the file is quarantined') }),
  example: { ...change.example, reason: 'The content is a program' },
});
/** An upload began or ended without an available file, or a version that waited for the scanner became available. */
export const fileStatusChanged = event('file.status_changed', {
  description: 'The status of an upload or a version changes',
  action: 'file.change_status',
  target: 'file',
  data: change.data.extend({ status: FileStatus }),
  record,
  whenMissing,
});
export const fileUpdated = event('file.updated', {
  ...change,
  description: 'The name, the tags, the record or the team of a file changes',
  action: 'file.update',
  data: change.data.extend({ fields: z.array(z.string()).describe('The fields that changed') }),
  example: { ...change.example, fields: ['filename'] },
});
export const fileDeleted = event('file.deleted', {
  ...change,
  description: 'A file is deleted',
  action: 'file.delete',
  data: change.data.extend({ permanent: z.boolean().describe('Whether the file cannot be restored') }),
  whenMissing: { ...whenMissing, data: { permanent: false } },
  example: { ...change.example, permanent: false },
});
export const fileRestored = event('file.restored', {
  ...change,
  description: 'A deleted file is restored',
  action: 'file.restore',
});

const ofHold = change.data.extend({ reason: z.string().describe('Why the file is held or released') });
const hold = { target: 'file', data: ofHold, record, whenMissing } as const;
export const fileHeld = event('file.held', { ...hold, description: 'A file is held', action: 'file.hold' });
export const fileReleased = event('file.released', {
  ...hold,
  description: 'A held file is released',
  action: 'file.release',
});

const ofVersion = change.data.extend({
  versionId: id('file_version'),
  number: z.int().describe('The number of the version'),
});
export const fileVersionCreated = event('file.version_created', {
  ...change,
  description: 'The content of a file changes',
  action: 'file.create_version',
  data: ofVersion,
  example: { ...change.example, versionId: 'RaSkQj1FfnErWTVp', number: 2 },
});
export const fileVersionDeleted = event('file.version_deleted', {
  description: 'An earlier version of a file is deleted',
  action: 'file.delete_version',
  target: 'file',
  data: ofVersion,
  record,
  whenMissing,
});

export const signatureRequestOpen = [409, 'People are signing the file; cancel the signature request first'] as const;
export const legalHold = [409, 'The file is held or must be kept, so it cannot be deleted'] as const;
export const quotaExceeded = [
  409,
  'The storage of your plan is full: delete files permanently, or upgrade the plan',
] as const;
/** The disk of the local store is full or read-only. */
export const storageFull = [507, 'The storage is full or read-only; try again later'] as const;
export const notAvailable = [409, 'The file is quarantined, or its upload is not complete'] as const;
