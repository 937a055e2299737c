import {
  event,
  flag,
  id,
  listQuery,
  media,
  name,
  operations,
  page,
  sharedErrors,
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
export const FileStatus = z
  .enum(fileStatuses)
  .describe('Whether the file can be downloaded; executable files are `quarantined`, which prevents their download');

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
  status: FileStatus,
  detectedContentType: MediaType.nullable().describe(
    'The media type detected from the content; null if none was detected, as for plain text',
  ),
  checksumSha256: z.string().meta({
    description: 'The SHA-256 checksum of the content, in hexadecimal',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
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
  url: z.url().meta({
    description: 'The URL of the file; works without credentials',
    examples: ['https://api.example.com/v1/public/files/ThisIsOnlyAnExample'],
  }),
  expiresAt: timestamp().meta({ description: 'When the link expires', examples: ['2026-03-02T09:30:00.000Z'] }),
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
export const fileUpdated = event('file.updated', {
  description: 'The team of a file changes',
  action: 'file.update',
  target: 'file',
  data: z.object({ fileId: id('file'), fields: z.array(z.string()) }),
  record: File,
});
export const fileDeleted = event('file.deleted', {
  ...change,
  description: 'A file is deleted',
  action: 'file.delete',
});
export const fileRestored = event('file.restored', {
  ...change,
  description: 'A deleted file is restored',
  action: 'file.restore',
});

/** Lifetime of a link, in seconds. */
export const linkSeconds = { min: 60, usual: 900, max: 86_400 };
/** Number of days in which a deleted file can be restored. */
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
      'Send a multipart form with the file in the part `file`; the parts can be in any order. Both the declared and the detected media type are stored. The size limit is 25 MiB unless your deployment sets a different one.',
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
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
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
    description: 'Returns the record of the file. To download the content, use GET /v1/files/:id/download.',
    params: withId,
    reply: File,
    message: 'File retrieved',
  },
  getFileDownload: {
    method: 'GET',
    path: '/v1/files/:id/download',
    permission: 'files:read',
    narrows: true,
    summary: 'Get a download link for a file',
    description: 'The link works without credentials until `expiresAt`.',
    params: withId,
    query: z.object({
      expiresIn: wholeNumber(linkSeconds.min, linkSeconds.max)
        .describe('The lifetime of the link, in seconds')
        .default(linkSeconds.usual),
      disposition: z
        .enum(['attachment', 'inline'], { error: 'Must be attachment or inline' })
        .describe(
          'Whether a browser saves the file (`attachment`) or displays it (`inline`). Unsafe types are always saved.',
        )
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
    description: 'You can restore the file for 30 days. Its links stop working immediately.',
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
    description: 'Restores a file that was deleted within the last 30 days.',
    params: withId,
    reply: File,
    message: 'File restored',
    emits: [fileRestored],
    errors: { not_deleted: sharedErrors.not_deleted },
  },
  serveFile: {
    method: 'GET',
    path: '/v1/public/files/:token',
    audience: 'public',
    summary: 'Download a file',
    description: 'Returns the content of the file. GET /v1/files/:id/download returns the URL of this operation.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('*/*'),
    message: 'The content of the file',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
