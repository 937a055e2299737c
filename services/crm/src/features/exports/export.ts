import type { Caller } from '@tandem/caller';
import { id, type Operation, type ResourceType } from '@tandem/contract';
import { type Exported, Requester } from '@tandem/exports';
import { backgroundJobs, type JobLink, type ListFilter } from '@tandem/service';
import type { IdsArgs } from '@tandem/tenant-db';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The background jobs that clients read at GET /v1/jobs/:id. */
export const exportJobs = backgroundJobs('crm');
export const exportRecordsJob = { name: 'export-records', payload: z.object({ jobId: id('job') }) };
export type ExportPayload = z.output<typeof exportRecordsJob.payload>;

/** Issues and reads the tokens of download links. */
export interface ExportLinks {
  issue(what: JobLink, expiresAt: Date): string;
  read(token: string): JobLink | 'expired' | undefined;
}

/** How records of one type are exported. */
// biome-ignore lint/suspicious/noExplicitAny: each model and each list has its own types.
type Any = any;
export interface ExportTarget extends Exported {
  type: ResourceType & ('lead' | 'opportunity' | 'account' | 'task');
  /** The operation that starts the export. */
  row: Operation;
  model(tx: Tx): { findMany(args: Any): PromiseLike<{ id: number }[]>; findIds(args: IdsArgs): Promise<number[]> };
  /** The records that the list has for these filters. */
  listed(filter: Any, context: { tx: Tx; caller: Caller }): ListFilter | Promise<ListFilter>;
  /** Converts a row to the record. */
  read(row: Any): object;
  /** The fields with the owners of a record, for callers narrowed to their own, as in service.ts. */
  owners: readonly string[];
}

/** The content of an export job. */
export const ExportInput = Requester.extend({
  entityType: z.string(),
  format: z.enum(['csv', 'xlsx']),
  columns: z.array(z.string()),
  /** The body of the request in its wire form. */
  body: z.unknown(),
});
export type ExportInput = z.output<typeof ExportInput>;
