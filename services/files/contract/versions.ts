import { id, listQuery, operations, page, requiredText, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  Checksum,
  File,
  fileQuarantined,
  fileVersionCreated,
  fileVersionDeleted,
  legalHold,
  MediaType,
  notAvailable,
  quotaExceeded,
  signatureRequestOpen,
  storageFull,
  withId,
} from './file.ts';

/** Maximum number of versions of a file. */
export const versionsMax = 500;

export const FileVersion = z.object({
  id: id('file_version'),
  fileId: id('file'),
  number: z.int().meta({ description: 'The number of the version; the first one is 1', examples: [2] }),
  size: File.shape.size,
  contentType: MediaType.describe('The media type that the client declared'),
  detectedContentType: File.shape.detectedContentType,
  checksumSha256: Checksum.nullable(),
  status: File.shape.status.describe('Whether the version can be downloaded'),
  comment: requiredText(500)
    .nullable()
    .meta({ description: 'What changed in the version', examples: ['Prices of 2026'] }),
  createdBy: id('user').nullable().describe('The user who created the version'),
  createdAt: timestamp(),
  isCurrent: z.boolean().describe('Whether downloads of the file return this version'),
});

const withVersion = withId.extend({ versionId: id('file_version') });
const tooMany = [409, `A file has at most ${versionsMax} versions; delete earlier ones`] as const;

export const fileVersions = operations({
  listFileVersions: {
    method: 'GET',
    path: '/v1/files/:id/versions',
    permission: 'files:read',
    narrows: true,
    summary: 'List the versions of a file',
    params: withId,
    query: listQuery(['number']).omit({ search: true, createdFrom: true, createdTo: true }),
    reply: page(FileVersion),
    message: 'Versions retrieved',
  },
  createFileVersion: {
    method: 'POST',
    path: '/v1/files/:id/versions',
    permission: 'files:write',
    narrows: true,
    summary: 'Upload a new version of a file',
    description:
      'Send a multipart form with the new content in the part `file`. The file keeps its name, and downloads return the new version. The size limit is that of an upload.',
    params: withId,
    form: z.object({ comment: requiredText(500).optional() }),
    reply: FileVersion,
    status: 201,
    message: 'Version created',
    emits: [fileVersionCreated, fileQuarantined],
    errors: {
      too_many_versions: tooMany,
      not_available: notAvailable,
      storage_full: storageFull,
      storage_quota_exceeded: quotaExceeded,
    },
    ifMatch: true,
  },
  getFileVersion: {
    method: 'GET',
    path: '/v1/files/:id/versions/:versionId',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve a version of a file',
    params: withVersion,
    reply: FileVersion,
    message: 'Version retrieved',
  },
  restoreFileVersion: {
    method: 'POST',
    path: '/v1/files/:id/versions/:versionId/restore',
    permission: 'files:write',
    narrows: true,
    summary: 'Restore a version of a file',
    description: 'Creates a new version with the content of an earlier one.',
    params: withVersion,
    reply: FileVersion,
    status: 201,
    message: 'Version restored',
    emits: [fileVersionCreated, fileQuarantined],
    errors: { too_many_versions: tooMany, not_available: notAvailable },
    ifMatch: true,
  },
  deleteFileVersion: {
    method: 'DELETE',
    path: '/v1/files/:id/versions/:versionId',
    permission: 'files:delete',
    narrows: true,
    summary: 'Delete a version of a file',
    description:
      'The content is removed and cannot be restored. The current version can only be deleted with the file.',
    params: withVersion,
    reply: z.object({ id: id('file_version'), deleted: z.literal(true).describe('Always true') }),
    message: 'Version deleted',
    emits: [fileVersionDeleted],
    errors: {
      signature_request_open: signatureRequestOpen,
      legal_hold: legalHold,
      current_version: [409, 'The version is current; upload or restore another one first, or delete the file'],
    },
  },
});
