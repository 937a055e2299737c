import { id, media, operations } from '@tandem/contract';
import { z } from 'zod';
import { Checksum, File, FileLink, linkSeconds, notAvailable } from './file.ts';

/** The fields of a file with content that other services can read: those that responses of the previous release have. */
export const InternalFile = File.pick({
  id: true,
  filename: true,
  contentType: true,
  size: true,
  entityType: true,
  entityId: true,
  detectedContentType: true,
  uploadedBy: true,
  version: true,
  createdAt: true,
  updatedAt: true,
}).extend({ status: z.enum(['available', 'quarantined']), checksumSha256: Checksum });

/** Files of the caller's tenant, for services that refer to one. */
export const internalFiles = operations({
  findFile: {
    method: 'GET',
    path: '/internal/files/:id',
    audience: 'internal',
    summary: 'Retrieve the record of a file whose upload is complete',
    params: z.object({ id: id('file') }),
    reply: InternalFile,
    message: 'File retrieved',
  },
  readFile: {
    method: 'GET',
    path: '/internal/files/:id/content',
    audience: 'internal',
    summary: 'Read the content of a file',
    params: z.object({ id: id('file') }),
    reply: media('*/*'),
    message: 'The content of the file',
    errors: { not_available: notAvailable },
  },
  readFilePart: {
    method: 'GET',
    path: '/internal/files/:id/content/part',
    audience: 'internal',
    summary: 'Read a part of the content of a file',
    params: z.object({ id: id('file') }),
    query: z.object({
      start: z.coerce.number().int().min(0),
      length: z.coerce.number().int().min(1),
      checksum: Checksum.describe('The content that the caller knows; another one is not available'),
    }),
    reply: media('*/*'),
    message: 'The part of the content',
    errors: { not_available: notAvailable },
  },
  linkFile: {
    method: 'POST',
    path: '/internal/files/:id/link',
    audience: 'internal',
    summary: 'Create a download link',
    params: z.object({ id: id('file') }),
    body: z.object({ expiresIn: z.int().min(linkSeconds.min).max(linkSeconds.max) }),
    reply: FileLink,
    message: 'Download link created',
    emits: [],
    errors: { not_available: notAvailable },
  },
});
