import {
  event,
  flag,
  id,
  listQuery,
  media,
  name,
  operations,
  page,
  text,
  timestamp,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';

export const fileStatuses = ['available', 'quarantined'] as const;

const MediaType = z
  .string()
  .max(127)
  .meta({ examples: ['application/pdf'] });
/** Whether a file can be downloaded. */
export const FileStatus = z
  .enum(fileStatuses, { error: `Must be one of ${fileStatuses.join(', ')}` })
  .describe('Whether the file can be downloaded; programs are `quarantined`: they are kept and cannot be downloaded');

export const File = z.object({
  id: id('file'),
  filename: name(255).meta({ description: 'The name of the file with its extension', examples: ['offer.pdf'] }),
  contentType: MediaType.describe('The media type that the upload claimed'),
  size: z.int().meta({ description: 'The size in bytes', examples: [48213] }),
  entityType: text(64)
    .nullable()
    .meta({
      description: 'The kind of record that the file belongs to, such as `lead`; stored as given',
      examples: ['lead'],
    }),
  entityId: text(64)
    .nullable()
    .meta({
      description: 'The id of the record that the file belongs to; stored as given',
      examples: ['khzasVT5ZxaVtyRs'],
    }),
  status: FileStatus,
  detectedContentType: MediaType.nullable().describe(
    'The media type that the content looks like; null if it looks like none in particular, such as text',
  ),
  checksumSha256: z.string().meta({
    description: 'The SHA-256 of the content, in hexadecimal',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  uploadedBy: id('user').nullable().describe('The user who uploaded the file'),
  teamId: id('team').nullable().describe('The team of the user who uploaded the file, if that was exactly one'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Where a file can be fetched without credentials, and until when. */
export const FileLink = z.object({
  url: z.url().meta({
    description: 'The address of the file; it needs no credentials',
    examples: ['https://api.example.com/v1/public/files/ThisIsOnlyAnExample'],
  }),
  expiresAt: timestamp().meta({ description: 'When the link ends', examples: ['2026-03-02T09:30:00.000Z'] }),
});

const withId = z.object({ id: id('file') });
const change = {
  group: 'files',
  readPermission: 'files:read',
  target: 'file',
  data: z.object({ fileId: id('file') }),
  record: File,
  example: { fileId: 'oDROIGD4LWMZUfLp' },
} as const;

export const fileUploaded = event('file.uploaded', {
  ...change,
  description: 'A file is uploaded',
  action: 'file.upload',
});
export const fileDeleted = event('file.deleted', {
  ...change,
  description: 'A file is removed',
  action: 'file.delete',
});
export const fileRestored = event('file.restored', {
  ...change,
  description: 'A removed file is brought back',
  action: 'file.restore',
});

/** For how long a link may work, in seconds. */
export const linkSeconds = { min: 60, usual: 900, max: 86_400 };
/** For how many days a removed file can be restored. */
export const restorableDays = 30;

export const notAvailable = [409, 'The file is quarantined and cannot be downloaded'] as const;

export const files = operations({
  uploadFile: {
    method: 'POST',
    path: '/v1/files/upload',
    permission: 'files:write',
    narrows: true,
    summary: 'Upload a file',
    description:
      'Send a multipart form whose part `file` is the file; the order of the parts does not matter. The platform records the media type that the upload claims and the one that it detects. The limit is 25 MiB unless your deployment sets another.',
    form: z.object({ entityType: text(64).min(1).optional(), entityId: text(64).min(1).optional() }),
    reply: File,
    status: 201,
    message: 'File uploaded',
    emits: [fileUploaded],
  },
  listFiles: {
    method: 'GET',
    path: '/v1/files',
    permission: 'files:read',
    narrows: true,
    summary: 'List files',
    description: '`search` covers the file name.',
    query: listQuery(['createdAt', 'filename', 'size']).extend({
      entityType: text(64)
        .meta({ examples: ['lead'] })
        .optional(),
      entityId: text(64).optional(),
      contentType: text(127)
        .meta({ examples: ['application/pdf'] })
        .optional(),
      status: FileStatus.optional(),
      deleted: flag().describe('Return deleted files instead of the others').optional(),
    }),
    reply: page(File),
    message: 'Files retrieved',
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/:id',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve a file',
    description: 'Returns the file’s record. GET /v1/files/:id/download returns a link to its content.',
    params: withId,
    reply: File,
    message: 'File retrieved',
  },
  getFileDownload: {
    method: 'GET',
    path: '/v1/files/:id/download',
    permission: 'files:read',
    narrows: true,
    summary: 'Get a link to download a file',
    description: 'The link needs no credentials and works until `expiresAt`.',
    params: withId,
    query: z.object({
      expiresIn: wholeNumber(linkSeconds.min, linkSeconds.max)
        .describe('For how many seconds the link works')
        .default(linkSeconds.usual),
      disposition: z
        .enum(['attachment', 'inline'], { error: 'Must be attachment or inline' })
        .describe('Whether a browser saves the file or shows it, where that is safe')
        .default('attachment'),
    }),
    reply: FileLink,
    message: 'Download link created',
    errors: { not_available: notAvailable },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/:id',
    permission: 'files:delete',
    narrows: true,
    summary: 'Delete a file',
    description: 'You can restore the file for 30 days. Links to it end at once.',
    params: withId,
    reply: z.object({ id: id('file'), deleted: z.literal(true).describe('Always true') }),
    message: 'File deleted',
    emits: [fileDeleted],
  },
  restoreFile: {
    method: 'POST',
    path: '/v1/files/:id/restore',
    permission: 'files:write',
    narrows: true,
    summary: 'Restore a deleted file',
    description: 'Brings back a file that was deleted within the last 30 days.',
    params: withId,
    reply: File,
    message: 'File restored',
    emits: [fileRestored],
    errors: { not_deleted: [409, 'The file is not deleted'] },
  },
  serveFile: {
    method: 'GET',
    path: '/v1/public/files/:token',
    audience: 'public',
    summary: 'Download a file by its link',
    description: 'Answers with the content of the file. GET /v1/files/:id/download makes such links.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('*/*'),
    message: 'File',
    errors: { link_expired: [404, 'The link has expired; ask for a new one'] },
  },
});
