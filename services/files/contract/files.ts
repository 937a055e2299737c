import { flag, id, listQuery, media, name, operations, page, sharedErrors, text, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import {
  File,
  FileLink,
  FileStatus,
  fileDeleted,
  fileQuarantined,
  fileRestored,
  fileStatusChanged,
  fileUpdated,
  fileUploaded,
  legalHold,
  linkSeconds,
  notAvailable,
  quotaExceeded,
  signatureRequestOpen,
  storageFull,
  withId,
} from './file.ts';

/** Number of days in which a deleted file can be restored. */
export const restorableDays = 30;

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
    emits: [fileUploaded, fileQuarantined, fileStatusChanged],
    errors: { storage_full: storageFull, storage_quota_exceeded: quotaExceeded },
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
      q: text(200)
        .meta({ description: 'The same as `search`', examples: ['offer'] })
        .optional(),
      text: text(200)
        .meta({
          description:
            'Return only files whose text has these words, in the syntax of web searches. Covers plain texts, PDF files with text, and what OCR has read. Of more than 1,000 files with these words and the other exact values of the query, the newest 1,000 are returned',
          examples: ['difference engine'],
        })
        .optional(),
      tag: name(50)
        .meta({ description: 'Return only files with this tag', examples: ['signed'] })
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
  updateFile: {
    method: 'PATCH',
    path: '/v1/files/:id',
    permission: 'files:write',
    narrows: true,
    summary: 'Update a file',
    description:
      'Changes the name, the tags, the record that the file belongs to, or how long it is kept. `retainUntil` can be set earlier only with the permission files:manage, and only with files:delete for the file can `deleteAt` be set, or the file be moved to a lead, whose deletion deletes its files. The content has versions of its own.',
    params: withId,
    body: z.object({
      filename: File.shape.filename.optional(),
      entityType: text(64).min(1, { error: 'Must not be empty' }).nullish(),
      entityId: text(64).min(1, { error: 'Must not be empty' }).nullish(),
      tags: File.shape.tags.optional(),
      retainUntil: File.shape.retainUntil.optional(),
      deleteAt: File.shape.deleteAt.optional(),
    }),
    checksPermissions: true,
    reply: File,
    message: 'File updated',
    emits: [fileUpdated],
    errors: { retention_active: [409, 'An earlier end of the retention requires the permission files:manage'] },
  },
  getFilePreview: {
    method: 'GET',
    path: '/v1/files/:id/preview',
    permission: 'files:read',
    narrows: true,
    summary: 'Get a link to the preview of a file',
    description:
      'Pictures (PNG, JPEG, WebP, TIFF, GIF and AVIF) and PDF files have previews in WebP: the picture, or the first page. They are made within seconds of the upload. The link works without credentials until `expiresAt`.',
    params: withId,
    query: z.object({
      size: z
        .enum(['small', 'large'], { error: 'Must be small or large' })
        .describe('At most 256 pixels wide and high (`small`), or 1,024 (`large`)')
        .default('large'),
      versionId: id('file_version').optional().describe('The version to show; the current one by default'),
      expiresIn: wholeNumber(linkSeconds.min, linkSeconds.max)
        .describe('The lifetime of the link, in seconds')
        .default(linkSeconds.usual),
      redirect: flag().describe('Redirect to the link (302) instead of returning it').default(false),
    }),
    reply: FileLink,
    message: 'Preview link created',
    mayRedirect: true,
    errors: {
      not_available: notAvailable,
      preview_pending: [409, 'The preview is not ready yet; try again in a few seconds'],
      no_preview: [409, 'The file has no preview: its type has none, or its content cannot be displayed'],
    },
  },
  getFileDownload: {
    method: 'GET',
    path: '/v1/files/:id/download',
    permission: 'files:read',
    narrows: true,
    summary: 'Get a download link for a file',
    description:
      'The link works without credentials until `expiresAt`. It returns the current version when it is used, unless `versionId` names another one.',
    params: withId,
    query: z.object({
      versionId: id('file_version').describe('The version to download; the current one by default').optional(),
      redirect: flag().describe('Redirect to the link (302) instead of returning it').default(false),
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
    mayRedirect: true,
    message: 'Download link created',
    errors: { not_available: notAvailable },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/files/:id',
    permission: 'files:delete',
    narrows: true,
    summary: 'Delete a file',
    description:
      'You can restore the file for 30 days. Its links stop working immediately. With `permanent`, the file is removed at once with all of its versions, also when it is deleted already.',
    params: withId,
    query: z.object({
      permanent: flag().describe('Remove the file at once, so that it cannot be restored').default(false),
    }),
    reply: z.object({ id: id('file'), deleted: z.literal(true).describe('Always true') }),
    message: 'File deleted',
    emits: [fileDeleted],
    errors: { signature_request_open: signatureRequestOpen, legal_hold: legalHold },
  },
  restoreFile: {
    method: 'POST',
    path: '/v1/files/:id/restore',
    permission: 'files:write',
    narrows: true,
    summary: 'Restore a deleted file',
    description:
      'Restores a file that was deleted within the last 30 days. A file that is held, or must be kept until `retainUntil`, can be restored later too.',
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
    fromSharedAddresses: true,
    summary: 'Download a file',
    description:
      'Returns the content of the file, or redirects to it in the storage of your deployment. GET /v1/files/:id/download returns the URL of this operation.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('*/*'),
    mayRedirect: true,
    message: 'The content of the file',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
