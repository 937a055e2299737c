import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Work that goes on after its request was answered with 202. */
export const BackgroundJob = z.object({
  jobId: id('job'),
  status: z.enum(['queued', 'completed']).describe('Whether the job is done'),
  progress: z
    .object({
      done: z.int().meta({ description: 'The number of items that are done', examples: [12] }),
      total: z.int().meta({ description: 'The number of all items', examples: [12] }),
    })
    .describe('How far the job has come'),
  createdAt: timestamp(),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the job was done; null until then', examples: [null] }),
});

export const jobs = operations({
  getJob: {
    method: 'GET',
    path: '/v1/jobs/:id',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve a background job',
    description: 'Returns the progress of a job that an answer with 202 named.',
    params: z.object({ id: id('job') }),
    reply: BackgroundJob,
    message: 'Job retrieved',
  },
});
