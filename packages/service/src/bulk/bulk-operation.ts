import type { Caller } from '@tandem/caller';
import type { BulkOutcome, Operation, ResourceType } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { IdsArgs } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Under } from '../handler.ts';
import type { ListFilter } from '../list.ts';

// biome-ignore lint/suspicious/noExplicitAny: each model has its own argument types, and each operation its own body.
export type Any = any;

/** The codec of `@tandem/ids`, whose package cannot be imported here: its tests use this one. */
export interface IdCodec {
  encode(type: ResourceType, tenantId: number, id: number): string;
  decode(type: ResourceType, tenantId: number | undefined, code: string): number | undefined;
}

/** An operation that changes many records, selected by the fields of `bulkSelection` in its body. */
export interface BulkOperation<Tx, Body = Any, Found = Any> {
  row: Operation;
  type: ResourceType;
  model(tx: Tx): { findMany(args: Any): PromiseLike<{ id: number }[]>; findIds(args: IdsArgs): Promise<number[]> };
  /** The records that the list of the resource has for these filters. */
  listed(filter: Any, tx: Tx): ListFilter | Promise<ListFilter>;
  /** The permission of that list. */
  readPermission: string;
  /** Calls to other services, once before records change; throws to reject the request. */
  check?(context: { body: Body; caller: Caller }): Promise<Found>;
  /** Reads under other permissions, once with the request; throws to reject it. */
  checkRequest?(context: { body: Body; tx: Tx; under: Under }): Promise<void>;
  /** Takes the locks that the changes need in one order, so that two requests with the same records cannot wait for each other. */
  prepare?(context: { tx: Tx; ids: readonly number[] }): Promise<void>;
  /**
   * Changes one record with its event, as the operation on a single record does. An ApiError is the result of this record
   * only, so it must be thrown before the first write.
   */
  change(context: { tx: Tx; emit: Emit; schedule: Schedule; id: number; body: Body; found: Found }): Promise<unknown>;
}

/** Declares a bulk operation, and infers the types of its body and check. */
export function bulkOperation<Tx, Op extends Operation, Found = void>(
  declared: BulkOperation<Tx, z.output<NonNullable<Op['body']>>, Found> & { row: Op },
): BulkOperation<Tx> {
  return declared;
}

/** An operation that stores many records, which its body has as `bulkItems`. */
export interface BulkItemOperation<Tx, Body = Any, Item = Any, Found = Any, Prepared = Any> {
  row: Operation;
  /** Calls to other services and reads under other permissions, before the transaction; throws to reject the request. */
  check?(context: { body: Body; caller: Caller; tx: Tx; under: Under }): Promise<Found>;
  /** Takes the locks that all items need, in one order, so that two requests with the same records cannot wait for each other. */
  prepare?(context: { tx: Tx; body: Body; caller: Caller; found: Found }): Promise<Prepared>;
  /**
   * Stores one item with its events, as the operation on a single record does; items are stored in the order of the request.
   * An ApiError is the result of this item only, so it must be thrown before the first write.
   */
  write(context: {
    tx: Tx;
    emit: Emit;
    caller: Caller;
    item: Item;
    body: Body;
    found: Found;
    prepared: Prepared;
  }): Promise<{ id: number; outcome: z.output<typeof BulkOutcome> }>;
}

/** A parsed item: an optional field is absent, never undefined. */
type ItemOf<Op extends Operation> =
  z.output<NonNullable<Op['body']>> extends { items: (infer Item)[] }
    ? { [Field in keyof Item]: Exclude<Item[Field], undefined> }
    : never;

/** Declares a bulk operation with items, and infers the types of its body, check and preparation. */
export function bulkItemOperation<Tx, Op extends Operation, Found = void, Prepared = void>(
  declared: BulkItemOperation<Tx, z.output<NonNullable<Op['body']>>, ItemOf<Op>, Found, Prepared> & { row: Op },
): BulkItemOperation<Tx> {
  return declared;
}
