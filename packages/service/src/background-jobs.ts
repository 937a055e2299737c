import type { Caller } from '@tandem/caller';
import { allows, type BackgroundJob, type JobService, jobNumber, jobOf, type jobOperations } from '@tandem/contract';
import type { Sql } from '@tandem/tenant-db';
import type { z } from 'zod';
import { fail } from './api-error.ts';
import type { Handler } from './handler.ts';

type Shown = z.output<typeof BackgroundJob>;

interface Row extends Omit<Shown, 'jobId' | 'progress' | 'error' | 'download'> {
  id: number;
  done: number;
  total: number;
  input: unknown;
  userId: number | null;
  permission: string;
  errorCode: string | null;
  errorMessage: string | null;
  expiresAt: Date | null;
}

/** The content of a sealed download link. */
export interface JobLink {
  tenantId: number;
  environment: 'live' | 'sandbox';
  jobId: number;
  /** The user who requested the link. */
  userId: number | null;
}

/** A background job with the fields that only its service sees. */
export type FoundJob = Shown & { input: unknown; userId: number | null; expiresAt: Date | null };

/** A record that a job could not change. */
export interface JobError {
  id: number;
  code: string;
  message: string;
  /** The fields that caused the error. */
  errors: { field: string; message: string }[];
}

interface ReadOptions {
  linkTo?: (link: JobLink, expiresAt: Date) => string;
  isReadable?: (caller: Caller, input: unknown) => boolean;
}

/** Maximum lifetime of a download link. */
const linkMs = 3_600_000;

/**
 * Background jobs of a service, which clients read at GET /v1/jobs/:id. The work itself is a job of packages/jobs with the
 * number of this one as its payload. All functions run in the scope of the tenant.
 */
export function backgroundJobs(service: JobService) {
  const find = async (sql: Sql, jobId: number): Promise<Row | undefined> => {
    const place = jobOf(jobId);
    if (place?.service !== service) return undefined;
    const [row] = await sql<Row>`SELECT id, kind, status, done, total, input, result, permission, user_id AS "userId",
        error_code AS "errorCode", error_message AS "errorMessage", created_at AS "createdAt",
        completed_at AS "completedAt", expires_at AS "expiresAt"
      FROM platform.background_job WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
        AND id = ${place.row}::bigint`;
    return row;
  };
  const rowOf = (jobId: number) => jobOf(jobId)?.row ?? 0;

  return {
    /**
     * Creates a job in the transaction that schedules its work.
     * @param start.permission needed to read the job
     * @param start.total the number of items, if it is known
     */
    async start(sql: Sql, start: { kind: string; permission: string; caller: Caller; input: object; total?: number }) {
      const { kind, permission, caller, input, total = 0 } = start;
      const [row] = await sql<{
        id: number;
      }>`INSERT INTO platform.background_job (kind, permission, user_id, input, total)
        VALUES (${kind}, ${permission}, ${actingUser(caller) ?? null}::bigint, ${JSON.stringify(input)}::jsonb, ${total}) RETURNING id`;
      return { jobId: jobNumber(service, (row as { id: number }).id), status: 'queued' as const };
    },
    /** A job with its input; undefined when it does not exist. */
    async find(sql: Sql, jobId: number): Promise<FoundJob | undefined> {
      const row = await find(sql, jobId);
      return row && foundOf(row, jobId);
    },
    /** @param now.errors the records that failed since the last call; `errorsOf` returns all of them */
    async progress(
      sql: Sql,
      jobId: number,
      { done, total, errors = [] }: { done: number; total: number; errors?: JobError[] },
    ): Promise<void> {
      await sql`UPDATE platform.background_job SET status = 'running', done = ${done}, total = ${total},
          errors = errors || ${JSON.stringify(errors)}::jsonb
        WHERE id = ${rowOf(jobId)} AND status IN ('queued', 'running')`;
    },
    /** The records that a job could not change. */
    async errorsOf(sql: Sql, jobId: number): Promise<JobError[]> {
      const [row] = await sql<{ errors: JobError[] }>`SELECT errors FROM platform.background_job
        WHERE id = ${rowOf(jobId)}`;
      return row?.errors ?? [];
    },
    /** @param end.expiresAt when the file of the job expires, if it has one */
    async complete(sql: Sql, jobId: number, end: { result: object; total: number; expiresAt?: Date }): Promise<void> {
      await sql`UPDATE platform.background_job SET status = 'completed', completed_at = clock_timestamp(), done = ${end.total},
        total = ${end.total}, result = ${JSON.stringify(end.result)}::jsonb, expires_at = ${end.expiresAt ?? null}::timestamptz
        WHERE id = ${rowOf(jobId)}`;
    },
    async fail(sql: Sql, jobId: number, error: { code: string; message: string }): Promise<void> {
      await sql`UPDATE platform.background_job SET status = 'failed', completed_at = clock_timestamp(), error_code = ${error.code},
        error_message = ${error.message} WHERE id = ${rowOf(jobId)}`;
    },
    /** The job, if the caller may read it. */
    async findReadable(sql: Sql, jobId: number, caller: Caller): Promise<FoundJob | undefined> {
      const row = await find(sql, jobId);
      return row && mayRead(caller, row) ? foundOf(row, jobId) : undefined;
    },
    /**
     * The handler of `getJob`.
     * @param options.linkTo the URL of the file of a job, for jobs that make one
     * @param options.isReadable whether a caller with the permission of a job can read it, by the input of the job
     */
    getJob:
      ({ linkTo, isReadable = () => true }: ReadOptions = {}): Handler<typeof jobOperations.getJob, { sql: Sql }> =>
      async ({ params, tx, caller }) => {
        const row = await find(tx.sql, params.id);
        if (!row || !mayRead(caller, row) || !isReadable(caller, row.input)) throw fail('not_found');
        const job = shown(row, params.id);
        if (!linkTo || !row.expiresAt || row.expiresAt.getTime() <= Date.now()) return job;
        const { tenantId, environment } = caller;
        const expiresAt = new Date(Math.min(row.expiresAt.getTime(), Date.now() + linkMs));
        const link = {
          tenantId: tenantId as number,
          environment,
          jobId: params.id,
          userId: actingUser(caller) ?? null,
        };
        return { ...job, download: { url: linkTo(link, expiresAt), expiresAt } };
      },
  };
}

function foundOf(row: Row, jobId: number): FoundJob {
  return { ...shown(row, jobId), input: row.input, userId: row.userId, expiresAt: row.expiresAt };
}

function shown(row: Row, jobId: number): Shown {
  const { kind, status, done, total, result, createdAt, completedAt, errorCode, errorMessage } = row;
  return {
    jobId,
    kind,
    status,
    progress: { done, total },
    result,
    download: null,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    createdAt,
    completedAt,
  };
}

function mayRead(caller: Caller, { permission, userId }: Row): boolean {
  const reach = allows(caller.permissions, permission);
  return reach === 'all' || (reach !== undefined && userId !== null && userId === actingUser(caller));
}

function actingUser(caller: Caller): number | undefined {
  return caller.onBehalfOf ?? caller.userId;
}
