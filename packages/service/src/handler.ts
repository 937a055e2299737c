import type { Readable } from 'node:stream';
import type { Caller, Environment } from '@tandem/caller';
import type { EventDef, Operation, Operations, Paged, PagedOr } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { z } from 'zod';
import type { List, PageResult } from './list.ts';

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
/** A part of a request: an optional field is absent, never undefined, as JSON has no such value. */
type Received<Schema> = Schema extends z.ZodType ? Present<z.output<Schema>> : undefined;
type Present<Value> = Value extends object ? { [Key in keyof Value]: Exclude<Value[Key], undefined> } : Value;
type Emits<Op> = Op extends { emits: readonly (infer E)[] } ? Extract<E, EventDef> : never;

/** What a handler returns: the reply in its inside form; more columns than the reply has are dropped. */
export type Result<Op extends Operation> =
  Op['reply'] extends Paged<infer Item>
    ? PageResult<z.output<Item>>
    : Op['reply'] extends PagedOr<infer Item, infer Other>
      ? PageResult<z.output<Item>> | { other: z.output<Other> }
      : z.output<Op['reply']>;

/** The person who is known to act once a public operation has found its tenant; events and the audit log name them. */
export type Actor = Pick<Caller, 'type' | 'userId' | 'portalUserId' | 'partnerId' | 'name'>;

/**
 * Runs work within a tenant that the caller did not bring: for public and internal operations only.
 * @param scope.actor who acts; by default the caller
 */
export type InTenant<Tx, E extends EventDef = EventDef> = <T>(
  scope: { tenantId: number; environment: Environment; actor?: Actor },
  work: (inside: { tx: Tx; emit: Emit<E>; schedule: Schedule }) => Promise<T>,
) => Promise<T>;

type HeaderNames<Op> = Op extends { headers: infer Headers } ? keyof Headers & string : never;

/** What a handler works with. Everything in it is already checked and bound to the caller. */
export interface Context<Op extends Operation, Tx> {
  params: Output<Op['params']>;
  query: Received<Op['query']>;
  /** Of a form: its fields. */
  body: Op extends { form: infer Form } ? Received<Form> : Received<Op['body']>;
  caller: Caller;
  /** The database within the caller's tenant and environment; in a write, inside its transaction. */
  tx: Tx;
  /** Writes an event with the transaction. */
  emit: Emit<Emits<Op>>;
  /** Queues work with the transaction. */
  schedule: Schedule;
  /** Refuses with 412 when the caller's If-Match names another version. Call it with the record that is about to change. */
  ifMatch(record: { version: number }): void;
  /** Runs after the commit: for what must not happen inside a transaction. */
  afterCommit(work: () => void | Promise<void>): void;
  /** Says that what the caller wants to make is there already: the answer is 200 instead of 201. */
  wasThere(): void;
  /** Replaces the row's message in this answer, where its outcome needs another one. */
  message(text: string): void;
  /** Sets a header of the answer; the row names which it may set. */
  header(name: HeaderNames<Op>, value: string): void;
  /** Reads one page of a model by the operation's query. */
  list: List;
  inTenant: InTenant<Tx, Emits<Op>>;
}

type Run<Op extends Operation, Tx, Found = void> = (
  context: Context<Op, Tx> & { found: Found },
) => Promise<Result<Op>> | Result<Op>;

/**
 * Reads with `tx` within the caller's reach of another permission of the row than its main one: records beyond it are
 * not found.
 * @throws ApiError 403 when the caller does not have the permission
 */
export type Under = <T>(permission: string, work: () => Promise<T>) => Promise<T>;

/**
 * What must be asked of others before the transaction opens; it refuses by throwing. `tx` reads within the caller's
 * scope. What it returns, `run` gets as `found`.
 */
type Check<Op extends Operation, Tx, Found> = (
  context: Pick<Context<Op, Tx>, 'params' | 'query' | 'body' | 'caller' | 'tx'> & { under: Under },
) => Promise<Found>;

/** The file of a form on its way in. */
export interface IncomingFile {
  /** Its bytes; must be read to the end or destroyed. */
  stream: Readable;
  /** As the client calls it, without a path. */
  filename: string;
  /** As the client claims it to be. */
  contentType: string;
}

/**
 * How a form is worked on: `receive` takes the file before anything else is known, outside of any transaction; `run`
 * gets what it returned as `found`. When nothing comes of the request, `discard` takes it back.
 */
export interface FormHandler<Op extends Operation, Tx, Received extends { checksum: string }> {
  receive(file: IncomingFile, context: Pick<Context<Op, Tx>, 'caller' | 'tx' | 'schedule'>): Promise<Received>;
  discard(received: Received): Promise<void>;
  run: Run<Op, Tx, Received>;
}

/** The code of one operation. */
export type Handler<Op extends Operation, Tx, Found = void> = Op extends { form: object }
  ? FormHandler<Op, Tx, Found & { checksum: string }>
  : Run<Op, Tx> | { check: Check<Op, Tx, Found>; run: Run<Op, Tx, Found> };

/** A handler for every operation of a contract. */
// biome-ignore lint/suspicious/noExplicitAny: what a check finds is between it and its own run.
export type Handlers<Ops extends Operations, Tx> = { [K in keyof Ops]: Handler<Ops[K], Tx, any> };
