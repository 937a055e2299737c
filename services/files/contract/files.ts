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

const MediaType = z.string().max(127);

export const File = z.object({
  id: id('file'),
  filename: name(255),
  /** The media type that the upload claimed. */
  contentType: MediaType,
  /** In bytes. */
  size: z.int(),
  /** What the file belongs to, such as lead, and its id: kept as they were given. */
  entityType: text(64).nullable(),
  entityId: text(64).nullable(),
  /** quarantined: a program; it is kept but not handed out. */
  status: z.enum(fileStatuses),
  /** The media type that the bytes look like; null when they look like nothing in particular, such as text. */
  detectedContentType: MediaType.nullable(),
  checksumSha256: z.string(),
  uploadedBy: id('user').nullable(),
  /** The team of who uploaded it, if they were in exactly one then. */
  teamId: id('team').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Where a file can be fetched without credentials, and until when. */
export const FileLink = z.object({ url: z.url(), expiresAt: timestamp() });

const withId = z.object({ id: id('file') });
const change = {
  group: 'files',
  readPermission: 'files:read',
  target: 'file',
  data: z.object({ fileId: id('file') }),
  record: File,
  example: { fileId: 'Fi8kW3zQn5TbVxRm' },
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

export const notAvailable = [409, 'The file is quarantined and not handed out'] as const;

export const files = operations({
  uploadFile: {
    method: 'POST',
    path: '/v1/files/upload',
    permission: 'files:write',
    narrows: true,
    summary: 'Upload a file',
    description:
      'A multipart form whose part `file` is the file; the other parts may stand before or after it. Its media type is recorded as claimed and as found. At most 25 MiB unless the deployment says otherwise.',
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
    description: '`search` looks into the file name.',
    query: listQuery(['createdAt', 'filename', 'size']).extend({
      entityType: text(64).optional(),
      entityId: text(64).optional(),
      contentType: text(127).optional(),
      status: z.enum(fileStatuses, { error: `Must be one of ${fileStatuses.join(', ')}` }).optional(),
      deleted: flag().optional(),
    }),
    reply: page(File),
    message: 'Files retrieved',
  },
  getFile: {
    method: 'GET',
    path: '/v1/files/:id',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve the record of a file',
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
    description: 'The link needs no credentials and ends at `expiresAt`.',
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
    description: 'The file can be restored for 30 days; links to it end at once.',
    params: withId,
    reply: z.object({ id: id('file'), deleted: z.literal(true) }),
    message: 'File deleted',
    emits: [fileDeleted],
  },
  restoreFile: {
    method: 'POST',
    path: '/v1/files/:id/restore',
    permission: 'files:write',
    narrows: true,
    summary: 'Restore a deleted file',
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
    params: z.object({ token: z.string().max(2_000) }),
    reply: media('*/*'),
    message: 'File',
    errors: { link_expired: [404, 'The link has expired; ask for a new one'] },
  },
});
