import type { EventDef } from '@tandem/contract';
import type { Fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { Count, Counting } from '../counting/index.ts';

/** What every fact has: the version of the record that it is a copy of, and how it is counted. */
export interface FactRow {
  id: number;
  /** -1 until a record is known. */
  version: number;
  isDeleted: boolean;
  timezone: string;
}

/**
 * One kind of records that are counted. Of each record a fact keeps what is counted; the sums change by the difference between
 * what the fact counted for before and after.
 */
export interface FactKind<Fact extends object = object> {
  /** The type of the target of its events. */
  type: string;
  table: Fragment;
  /** Assigns each field of the fact to its column, from a row `given` of the same table. */
  assign: Fragment;
  /** The events that carry the record. The newest version wins, whichever event brings it. */
  events: readonly EventDef[];
  /** Of these events, the one after which the record is deleted. */
  deleted?: EventDef;
  /** What a fact keeps of a record. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind has records of its own.
  read(record: any): Fact;
  /** What a fact that is not deleted counts for. */
  counts(fact: Fact, counting: Counting): Count[];
  find(tx: Tx, ids: number[]): Promise<(Fact & FactRow)[]>;
}
