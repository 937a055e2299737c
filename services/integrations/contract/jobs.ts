import { id, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Work that goes on after its request was answered with 202. */
export const BackgroundJob = z.object({
  jobId: id('job'),
  status: z.enum(['queued', 'completed']),
  progress: z.object({ done: z.int(), total: z.int() }),
  createdAt: timestamp(),
  completedAt: timestamp().nullable(),
});

export const jobs = operations({
  getJob: {
    method: 'GET',
    path: '/v1/jobs/:id',
    permission: 'webhooks:read',
    narrows: true,
    summary: 'Retrieve the progress of background work',
    params: z.object({ id: id('job') }),
    reply: BackgroundJob,
    message: 'Job retrieved',
  },
});
