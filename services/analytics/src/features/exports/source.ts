import type { ExportSource } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { neededPermissions, type Operation, type recordPages } from '@tandem/contract';
import type { Exported, Requester } from '@tandem/exports';
import { type Reach, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

type Records = z.output<typeof recordPages.readRecordPage.reply>;
type Page = Omit<z.output<typeof recordPages.readRecordPage.body>, 'list'>;
type Scope = Pick<Caller, 'tenantId' | 'environment'>;

/** In whose name records are read. */
export interface Reading extends Requester {
  scope: Scope;
  tx: Tx;
}

/** Where the records of an export come from. */
export interface Source extends Exported {
  /** The list whose records the export has, and whose filters and permissions it takes. */
  list: Operation;
  rowsMax: number;
  /** A permission that the list needs besides its own, and whose narrowing applies to the records. */
  narrowedBy?: string;
  /** Only those who requested an export see it. */
  isOwn?: true;
  /** Whether its filters can have a saved cohort. */
  hasCohort?: true;
  /** Filters that requests in the sandbox always have. */
  inSandbox?: Readonly<Record<string, unknown>>;
  /** Reads the records after an id, in the order of ids. */
  read(page: Page, reading: Reading): Promise<Records>;
}

export type Sources = Readonly<Record<ExportSource, Source>>;

/** The content of an export, after it was checked. */
export interface ExportInput {
  columns: string[];
  /** With internal ids. */
  wireFilters: Record<string, unknown>;
  requester: Requester;
}

/** An export as it is stored. */
export interface CheckedExport extends ExportInput {
  source: ExportSource;
  /** As the client sent them. */
  filters: Record<string, unknown>;
}

/** A list whose records a client wants to export. */
export interface WantedList {
  source: ExportSource;
  filters: Record<string, unknown>;
  columns: string[] | undefined;
}

/** How reports are exported. */
export interface ExportedReports {
  source: Source;
  /** The content of the export of a report: the rows of its last run, or the records of its list. */
  read(
    given: { reportId: number | undefined; filters: object | undefined; columns: string[] | undefined },
    within: { caller: Caller; tx: Tx },
  ): Promise<{ rows: CheckedExport; list?: undefined } | { rows?: undefined; list: WantedList }>;
}

/** How far a caller can read the records of a source. */
export function reachOfSource(caller: Caller, { list, narrowedBy }: Source): Reach {
  if (neededPermissions(list).some((permission) => reachOf(caller, permission) === 'none')) return 'none';
  const reach = reachOf(caller, list.permission as string);
  if (reach !== 'all') return list.narrows ? reach : 'none';
  return narrowedBy === undefined ? 'all' : reachOf(caller, narrowedBy);
}

/** The permission for want of which a caller cannot read a source; that of its list if the caller has it narrowed only. */
export function missingPermission(caller: Caller, { list, narrowedBy }: Source): string {
  const needed = [...neededPermissions(list), ...(narrowedBy === undefined ? [] : [narrowedBy])];
  return needed.find((permission) => reachOf(caller, permission) === 'none') ?? (list.permission as string);
}
