import { z } from 'zod';
import { timestamp } from './fields.ts';
import { id } from './id.ts';
import { media } from './media.ts';
import { operations, signedIn } from './operation.ts';
import { secret } from './secrets.ts';

/**
 * The services with background jobs that clients can read. The number of a job identifies its service, so that one path
 * serves the jobs of all services. Append, never reorder.
 */
const jobServices = [
  'integrations',
  'identity',
  'crm',
  'partner',
  'campaign',
  'training',
  'files',
  'search',
  'analytics',
  'agents',
] as const;
export type JobService = (typeof jobServices)[number];
// 15 services with 68 billion jobs each, within the limit of ids (2^40).
const jobsOfService = 2 ** 36;

/** The number of a job, unique among all services. */
export function jobNumber(service: JobService, row: number): number {
  return jobServices.indexOf(service) * jobsOfService + row;
}

/** The service and the row of a job; undefined if the number belongs to no service. */
export function jobOf(number: number): { service: JobService; row: number } | undefined {
  const service = jobServices[Math.floor(number / jobsOfService)];
  return service && { service, row: number % jobsOfService };
}

/** The status of a background job. */
export const JobStatus = z.enum(['queued', 'running', 'completed', 'failed']);

/** A background job that continues after the 202 response. */
export const BackgroundJob = z.object({
  jobId: id('job'),
  kind: z.string().meta({ description: 'The kind of job', examples: ['audit_export'] }),
  status: JobStatus.describe('The status of the job'),
  progress: z
    .object({
      done: z.int().meta({ description: 'The number of completed items', examples: [12] }),
      total: z.int().meta({ description: 'The total number of items; 0 while it is not known', examples: [12] }),
    })
    .describe('The progress of the job'),
  result: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'The result of a completed job; its fields depend on the kind', examples: [null] }),
  download: z
    .object({
      url: secret(
        z.url().meta({
          description: 'A link to the file that the job made; it works without credentials',
          examples: ['https://api.example.com/v1/public/audit-exports/ThisIsOnlyAnExample'],
        }),
      ),
      expiresAt: timestamp().meta({ description: 'When the link expires; a later request returns a new one' }),
    })
    .nullable()
    .meta({ description: 'A new link at each request, until the file expires; null without a file', examples: [null] }),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['unavailable'] }),
      message: z.string().meta({ description: 'The reason, for people', examples: ['The job failed repeatedly'] }),
    })
    .nullable()
    .meta({ description: 'Why the job failed; null otherwise', examples: [null] }),
  createdAt: timestamp(),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the job completed or failed; null until then', examples: [null] }),
});

/** The reply of an operation that starts a background job. */
export const JobStarted = z.object({
  jobId: id('job').describe('The background job; GET /v1/jobs/:id returns its progress'),
  status: JobStatus.describe('The status of the job'),
});

const deferrable = new WeakSet<z.core.$ZodType>();

/** The reply schema of an operation that either answers at once or starts a background job. */
export type OrJob<Now extends z.ZodType> = z.ZodUnion<[Now, typeof JobStarted]> & { readonly orJob: true };

/**
 * The reply of an operation that, depending on the request, answers at once or starts a background job. The handler
 * returns the reply, or `job`, which becomes the `data` of a 202 response.
 */
export function orJob<Now extends z.ZodObject>(now: Now): OrJob<Now> {
  const schema = z.union([now, JobStarted]);
  deferrable.add(schema);
  return schema as unknown as OrJob<Now>;
}

/** The schemas of both replies that orJob() joined; undefined for any other reply. */
export function nowOrJob(schema: z.core.$ZodType): { now: z.ZodType; job: z.ZodType } | undefined {
  if (!deferrable.has(schema)) return undefined;
  const [now, job] = (schema._zod.def as unknown as { options: [z.ZodType, z.ZodType] }).options;
  return { now, job };
}

/** The message of a 202 response that started a job. */
export const jobStartedMessage = 'Job started';

/** The operation of every service with background jobs. The gateway sends a request to the service of the job. */
export const jobOperations = operations({
  getJob: {
    method: 'GET',
    path: '/v1/jobs/:id',
    permission: signedIn,
    summary: 'Retrieve a background job',
    description:
      'Returns the progress of a job that a 202 response refers to, to its creator and to callers with the permission to start it. Jobs are kept for 30 days.',
    params: z.object({ id: id('job') }),
    reply: BackgroundJob,
    message: 'Job retrieved',
  },
});

/** The row of services whose jobs change many records, of which some may fail. */
export const jobErrorOperations = operations({
  getJobErrors: {
    method: 'GET',
    path: '/v1/jobs/:id/errors',
    permission: signedIn,
    summary: 'Download the errors of a background job',
    description:
      'Returns a CSV file with one line per record that a bulk operation did not change: `id`, `code`, `message` and `fields`. It has no lines if all records were changed. It can be read while the job runs, by the same callers as the job.',
    params: z.object({ id: id('job') }),
    reply: media('text/csv'),
    message: 'The errors of the job as CSV',
  },
});

/** Whether the gateway finds the service of an operation by the number of the job in its path. */
export function isOfJob({ path }: { path: string }): boolean {
  return path === jobOperations.getJob.path || path === jobErrorOperations.getJobErrors.path;
}
