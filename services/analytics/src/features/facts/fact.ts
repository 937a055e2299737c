import type { EventDef } from '@tandem/contract';
import { type Fragment, fragment } from '@tandem/tenant-db';
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
 * The counts of all facts of a kind, as statements: a row of `name`, `at`, `value`, `amount`, `lead_id`, `user_id` and `team_id` for each count. `at` is the time by
 * whose day it is counted; null for what counts for the present.
 */
export interface Counted {
  dated: Fragment;
  present: Fragment;
}

export const nothingCounted = fragment`SELECT NULL::text AS name, NULL::timestamptz AS at, NULL::text AS value, 0::numeric AS amount,
  NULL::bigint AS lead_id, NULL::bigint AS user_id, NULL::bigint AS team_id WHERE false`;

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
  /** The counts of one fact that is not deleted. */
  counts(fact: Fact, counting: Counting): Count[];
  /** The counts of all stored facts. */
  counted: Counted;
  find(tx: Tx, ids: number[]): Promise<(Fact & FactRow)[]>;
}
