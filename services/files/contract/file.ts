import { event, id, name, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const fileStatuses = ['available', 'quarantined'] as const;

export const MediaType = z
  .string()
  .max(127)
  .meta({ examples: ['application/pdf'] });
export const FileStatus = z
  .enum(fileStatuses)
  .describe('Whether the file can be downloaded; executable files are `quarantined`, which prevents their download');
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
  detectedContentType: MediaType.nullable().describe(
    'The media type detected from the content; null if none was detected, as for plain text',
  ),
  checksumSha256: Checksum,
  versionId: id('file_version').describe('The current version of the content'),
  versionNumber: z.int().meta({ description: 'The number of the current version; the first one is 1', examples: [1] }),
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
  url: z.url().meta({
    description: 'The URL of the file; works without credentials',
    examples: ['https://api.example.com/v1/public/files/ThisIsOnlyAnExample'],
  }),
  expiresAt: timestamp().meta({ description: 'When the link expires', examples: ['2026-03-02T09:30:00.000Z'] }),
});

/** The path of operations on a file. */
export const withId = z.object({ id: id('file') });

// Events of earlier releases have no version.
const record = File.extend({ versionId: File.shape.versionId.nullable() });
const whenMissing = { record: { tags: [], versionNumber: 1 } };
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
  description: 'A file is uploaded',
  action: 'file.upload',
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
});

export const notAvailable = [409, 'The file is quarantined and cannot be downloaded'] as const;
export const signatureRequestOpen = [409, 'People are signing the file; cancel the signature request first'] as const;
