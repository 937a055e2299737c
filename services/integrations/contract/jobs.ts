import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** A background job that continues after the 202 response. */
export const BackgroundJob = z.object({
  jobId: id('job'),
  status: z.enum(['queued', 'completed']).describe('The status of the job'),
  progress: z
    .object({
      done: z.int().meta({ description: 'The number of completed items', examples: [12] }),
      total: z.int().meta({ description: 'The total number of items', examples: [12] }),
    })
    .describe('The progress of the job'),
  createdAt: timestamp(),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the job completed; null until then', examples: [null] }),
});

export const jobs = operations({
  getJob: {
    method: 'GET',
    path: '/v1/jobs/:id',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve a background job',
    description: 'Returns the progress of a job that a 202 response refers to.',
    params: z.object({ id: id('job') }),
    reply: BackgroundJob,
    message: 'Job retrieved',
  },
});
