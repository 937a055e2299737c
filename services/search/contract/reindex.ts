import { BackgroundJob, id, JobStarted, jobStartedMessage, operations } from '@tandem/contract';
import { z } from 'zod';
import { DocumentType, documentTypes } from './documents.ts';

export const reindexes = operations({
  reindex: {
    method: 'POST',
    path: '/v1/search/reindex',
    permission: 'search:manage',
    summary: 'Rebuild the index',
    description:
      'Builds new indexes from the records and from the documents that clients indexed, while searches use the present ones. Changes that happen meanwhile are in both. Documents of records are those of their services again: removals and changes of them by clients end. When all of the types are complete, searches use the new indexes at once.',
    body: z.object({
      types: z
        .array(DocumentType)
        .min(1, 'Must not be empty')
        .max(documentTypes.length)
        .optional()
        .meta({ description: 'The types to rebuild; all of them by default', examples: [['lead']] }),
    }),
    reply: JobStarted,
    status: 202,
    message: jobStartedMessage,
    errors: { reindex_running: [409, 'The index of this type is being rebuilt already'] },
    emits: [],
  },
  getReindex: {
    method: 'GET',
    path: '/v1/search/reindex/:jobId',
    permission: 'search:manage',
    summary: 'Retrieve the progress of a rebuild',
    description: 'Returns the same as GET /v1/jobs/:id. The result has the number of documents of each type.',
    params: z.object({ jobId: id('job') }),
    reply: BackgroundJob,
    message: 'Rebuild retrieved',
  },
});
