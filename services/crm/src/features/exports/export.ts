import type { Caller } from '@tandem/caller';
import { id, type Operation, type ResourceType, walkIds } from '@tandem/contract';
import { consentChannels, ownValue } from '@tandem/crm-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import type { JobActor } from '@tandem/jobs';
import { backgroundJobs, type Cell, type JobLink, type ListFilter } from '@tandem/service';
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
export interface ExportTarget {
  type: ResourceType & ('lead' | 'opportunity' | 'account' | 'task');
  /** The operation that starts the export. */
  row: Operation;
  /** The schema of a record, whose fields are the columns. */
  record: z.ZodObject;
  model(tx: Tx): { findMany(args: Any): PromiseLike<{ id: number }[]>; findIds(args: IdsArgs): Promise<number[]> };
  /** The records that the list has for these filters. */
  listed(filter: Any, context: { tx: Tx; caller: Caller }): ListFilter | Promise<ListFilter>;
  /** Converts a row to the record. */
  read(row: Any): object;
  /** The fields with the owners of a record, for callers narrowed to their own, as in service.ts. */
  owners: readonly string[];
}

/** The content of an export job. */
export const ExportInput = z.object({
  entityType: z.string(),
  format: z.enum(['csv', 'xlsx']),
  columns: z.array(z.string()),
  /** The body of the request in its wire form. */
  body: z.unknown(),
  actor: z.custom<JobActor>((value) => typeof value === 'object' && value !== null),
  /** The user and teams to whose records the export is limited; all of the tenant when it is null. */
  narrow: z.object({ userId: z.int(), teamIds: z.array(z.int()).optional() }).nullable(),
});
export type ExportInput = z.output<typeof ExportInput>;

/** A field whose content has no use in a file. */
const hidden = ['tenantId', 'allowedTransitions', 'version'];

/** The columns of an export without `columns`. */
export function allColumns({ record }: ExportTarget): string[] {
  return Object.keys(record.shape).filter((field) => !hidden.includes(field));
}

/** Whether a record has the column. */
export function isColumn({ record }: ExportTarget, column: string): boolean {
  const custom = 'customFields.';
  if (column.startsWith(custom)) return 'customFields' in record.shape && column.length > custom.length;
  return consentColumns(record).includes(column) || Object.hasOwn(record.shape, column);
}

/** The columns of an export, for the error of an unknown one. */
export function columnNames(target: ExportTarget): string {
  const custom = 'customFields' in target.record.shape ? ['customFields.<key>'] : [];
  return [...allColumns(target), ...custom, ...consentColumns(target.record)].join(', ');
}

/** The columns of single consents. */
function consentColumns({ shape }: z.ZodObject): string[] {
  return 'consent' in shape ? consentChannels.map((channel) => `consent.${channel}`) : [];
}

/** Writes the columns of a record as cells, with the ids that clients know. */
export function cellWriter({ record }: ExportTarget, { columns, ids, tenantId }: CellPlan) {
  const rewrite = compileRewriter(walkIds(record));
  return (row: Record<string, unknown>): Cell[] => {
    const shown = structuredClone(row);
    rewrite(shown, (type, value) => (typeof value === 'number' ? ids.encode(type, tenantId, value) : value));
    return columns.map((column) => {
      const [field, ...key] = column.split('.') as [string, ...string[]];
      if (!key.length) return cellOf(shown[column]);
      const value = ownValue(shown[field] as object | undefined, key.join('.'));
      // The state alone is what an import reads from a column of a consent.
      return cellOf(field === 'consent' ? (value as { state?: string } | undefined)?.state : value);
    });
  };
}

interface CellPlan {
  columns: readonly string[];
  ids: IdCodec;
  tenantId: number;
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
