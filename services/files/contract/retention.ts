import { operations, requiredText } from '@tandem/contract';
import { z } from 'zod';
import { File, fileHeld, fileReleased, withId } from './file.ts';

const reason = requiredText(500).meta({ description: 'The reason, for the audit log', examples: ['Dispute 2026-17'] });

export const StorageUsage = z.object({
  usedBytes: z.int().meta({
    description:
      'The storage that is used: all versions, also of deleted files until these are removed, and uploads that are not complete with their declared size',
    examples: [48_213],
  }),
  limitBytes: z
    .int()
    .nullable()
    .meta({
      description: 'The storage of the plan; null if it is not limited',
      examples: [1_000_000_000],
    }),
  files: z.int().meta({ description: 'The number of files, deleted ones included', examples: [1] }),
});

export const retention = operations({
  getStorageUsage: {
    method: 'GET',
    path: '/v1/files/usage',
    permission: 'files:read',
    summary: 'Retrieve the storage usage',
    description: 'The sandbox has a storage of its own with the same limit.',
    reply: StorageUsage,
    message: 'Storage usage retrieved',
  },
  holdFile: {
    method: 'POST',
    path: '/v1/files/:id/hold',
    permission: 'files:manage',
    narrows: true,
    summary: 'Hold a file',
    description:
      'A held file cannot be deleted, nor can its versions: not by an operation, by `deleteAt`, by the erasure of a person, or at the end of its 30 days if it is deleted already.',
    params: withId,
    body: z.object({ reason }),
    reply: File,
    message: 'File held',
    emits: [fileHeld],
  },
  releaseFile: {
    method: 'POST',
    path: '/v1/files/:id/release',
    permission: 'files:manage',
    narrows: true,
    summary: 'Release a held file',
    params: withId,
    body: z.object({ reason }),
    reply: File,
    message: 'File released',
    emits: [fileReleased],
    errors: { not_held: [409, 'The file is not held'] },
  },
});
