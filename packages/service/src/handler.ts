import type { Readable } from 'node:stream';
import type { Caller, Environment } from '@tandem/caller';
import type {
  BodyStream,
  CookieAttributes,
  EventDef,
  FieldError,
  JobStarted,
  Operation,
  Operations,
  OrJob,
  Paged,
  PagedOr,
  RawBody,
} from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { z } from 'zod';
import type { List, PageResult } from './list.ts';

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
/** Parsed input: an optional field is absent, never undefined, because JSON has no such value. */
type Received<Schema> = Schema extends z.ZodType ? Present<z.output<Schema>> : undefined;
type Present<Value> = Value extends object ? { [Key in keyof Value]: Exclude<Value[Key], undefined> } : Value;
type Emits<Op> = Op extends { emits: readonly (infer E)[] } ? Extract<E, EventDef> : never;

/** The result of a handler: the decoded reply; columns that the reply schema does not have are dropped. */
export type Result<Op extends Operation> =
  Op['reply'] extends Paged<infer Item>
    ? PageResult<z.output<Item>>
    : Op['reply'] extends PagedOr<infer Item, infer Other>
      ? PageResult<z.output<Item>> | { other: z.output<Other> }
      : Op['reply'] extends OrJob<infer Now>
        ? z.output<Now> | { job: z.output<typeof JobStarted> }
        : z.output<Op['reply']>;

/** The person acting in a public operation once it has found its tenant; events and the audit log name them. */
export type Actor = Pick<Caller, 'type' | 'userId' | 'portalUserId' | 'partnerId' | 'name'> &
  Partial<Pick<Caller, 'keyId' | 'onBehalfOf' | 'ip' | 'userAgent' | 'requestId'>>;

/**
 * Runs work within a tenant that the caller is not bound to: for public and internal operations only.
 * @param scope.actor the acting person; the caller by default
 */
export type InTenant<Tx, E extends EventDef = EventDef> = <T>(
  scope: { tenantId: number; environment: Environment; actor?: Actor },
  work: (inside: { tx: Tx; emit: Emit<E>; schedule: Schedule }) => Promise<T>,
) => Promise<T>;

type CookieNames<Op> = Op extends { cookies: infer Cookies } ? keyof Cookies & string : never;
type HeaderNames<Op> = Op extends { headers: infer Headers } ? keyof Headers & string : never;

/**
 * Works with `tx` under another permission of the row than its main one: records outside of the narrowing of that
 * permission are not found.
 * @throws ApiError 403 when the caller does not have the permission
 */
export type Under = <T>(permission: string, work: () => Promise<T>) => Promise<T>;

/** An item of a request that its schema rejects: its position in the request, and its errors with fields of the item. */
export interface InvalidItem {
  index: number;
  errors: FieldError[];
}

/** The arguments of a handler. All of them are validated and bound to the caller. */
export interface Context<Op extends Operation, Tx> {
  params: Output<Op['params']>;
  query: Received<Op['query']>;
  /** The JSON body, the fields of a form, or the bytes of a row with `rawBody`, streamed or not. */
  body: Op extends { form: infer Form }
    ? Received<Form>
    : Op extends { rawBody: { streamed: true } }
      ? BodyStream
      : Op extends { rawBody: object }
        ? RawBody
        : Received<Op['body']>;
  /** The items of the list `checksEach` of the row that its schema rejects, which the body does not have. */
  invalidItems: readonly InvalidItem[];
  caller: Caller;
  /** Whether a GET is sent as HEAD, by software that looks where a link leads: nobody has opened it. */
  isHead: boolean;
  /** The database within the caller's tenant and environment; in a write, inside its transaction. */
  tx: Tx;
  under: Under;
  /** Emits an event as part of the transaction. */
  emit: Emit<Emits<Op>>;
  /** Schedules a job as part of the transaction. */
  schedule: Schedule;
  /** Throws 412 when the caller's If-Match names another version. Call it with the record that is about to change. */
  ifMatch(record: { version: number }): void;
  /** Runs work after the commit, for effects that must not happen inside a transaction. */
  afterCommit(work: () => void | Promise<void>): void;
  /** Marks the record to create as existing: the response is 200 instead of 201. */
  wasThere(): void;
  /** Redirects to an address (302). The body stays as it is. Only if the row declares `mayRedirect`. */
  redirect(location: string): void;
  /** Reports a part of the response that is missing because another service is unavailable, in `meta.warnings`. */
  missing(part: string, message: string): void;
  /** Replaces the row's message in this response. */
  message(text: string): void;
  /** Sets a response header that the row declares. */
  header(name: HeaderNames<Op>, value: string): void;
  /** The cookies of the request that the row declares. */
  cookies: Readonly<Partial<Record<CookieNames<Op>, string>>>;
  /** Sets a cookie that the row declares. A response with JSON sets at most one. */
  setCookie(name: CookieNames<Op>, value: string, attributes: CookieAttributes): void;
  /** Reads one page of a model by the query of the operation. */
  list: List;
  inTenant: InTenant<Tx, Emits<Op>>;
}

type Run<Op extends Operation, Tx, Found = void> = (
  context: Context<Op, Tx> & { found: Found },
) => Promise<Result<Op>> | Result<Op>;

/**
 * Calls to other systems that must happen before the transaction opens; throws to reject the request. `tx` reads within
 * the caller's scope. `run` gets the returned value as `found`.
 */
type Check<Op extends Operation, Tx, Found> = (
  context: Pick<Context<Op, Tx>, 'params' | 'query' | 'body' | 'caller' | 'tx' | 'under' | 'inTenant' | 'ifMatch'>,
) => Promise<Found>;

/**
 * Waits until the operation may take place, before it takes a connection, and resolves to the function that lets the next request
 * in; throws to reject the request. For operations whose work would delay the requests of other tenants.
 */
type Share<Op extends Operation, Tx> = (context: Pick<Context<Op, Tx>, 'caller'>) => Promise<() => void>;

/** The uploaded file of a form. */
export interface IncomingFile {
  /** The content; must be read to the end or destroyed. */
  stream: Readable;
  /** The client's file name, without a path. */
  filename: string;
  /** The content type that the client claims. */
  contentType: string;
}

/** A file as the client describes it. */
export type SentAs = Pick<IncomingFile, 'filename' | 'contentType'>;

/**
 * The handler of a form. `admit` rejects a request before its body is read. `receive` consumes the file before any other part is
 * known, outside of a transaction; `run` gets its result as `found`. If the request is refused, `discard` deletes the file again.
 * After an error that leaves the outcome of the transaction open it is not called, so `receive` schedules the removal of a file
 * that no record got.
 */
export interface FormHandler<Op extends Operation, Tx, Received extends { checksum: string }> {
  admit?(context: Pick<Context<Op, Tx>, 'params' | 'caller' | 'tx'>): Promise<void>;
  receive(file: IncomingFile, context: Pick<Context<Op, Tx>, 'caller' | 'tx' | 'schedule'>): Promise<Received>;
  discard(received: Received): Promise<void>;
  run: Run<Op, Tx, Received>;
}

/** The handler of one operation. */
export type Handler<Op extends Operation, Tx, Found = void> = Op extends { form: object }
  ? FormHandler<Op, Tx, Found & { checksum: string }>
  : Run<Op, Tx> | { check: Check<Op, Tx, Found>; share?: Share<Op, Tx>; run: Run<Op, Tx, Found> };

/** A handler for every operation of a contract. */
// biome-ignore lint/suspicious/noExplicitAny: what a check finds is between it and its own run.
export type Handlers<Ops extends Operations, Tx> = { [K in keyof Ops]: Handler<Ops[K], Tx, any> };
