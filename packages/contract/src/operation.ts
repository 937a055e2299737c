import type { z } from 'zod';
import type { EventDef } from './event.ts';
import { isRedirect, mediaOf } from './media.ts';

/** Who may call: people and keys of a tenant, a partner's portal session, anybody, or only our own services. */
export type Audience = 'tenant' | 'portal' | 'public' | 'internal';

/** Errors of an operation's own rules: code → status and message. */
export type ErrorCodes = Record<string, readonly [status: number, message: string]>;

/** The permission of an operation that every signed-in caller may use, such as reading who one is. */
export const signedIn = 'signed-in';

interface RowBase {
  /** The public path, `/v1/leads/:id`; a literal segment wins over a parameter. */
  path: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  reply: z.ZodType;
  message: string;
  /** Fields of `data` in the example of the answer, where they differ from the example of the reply's schema. */
  example?: Record<string, unknown>;
  errors?: ErrorCodes;
  /** Upstream limit in milliseconds when 10 s is wrong for this operation. */
  timeoutMs?: number;
  /** How many bytes a body may have when 256 KB is wrong for this operation. */
  bodyMax?: number;
  /** What stands around `data` when it is not the whole envelope: only success and message, or nothing at all. */
  envelope?: 'short' | 'none';
  /** It checks If-Match although neither its reply nor a GET of its path shows the version that it compares with. */
  ifMatch?: true;
  /** Headers of the answer that are this operation's own, each with what it says; the handler sets them. */
  headers?: Record<string, string>;
  /** People call it with their token; an API key is refused. */
  peopleOnly?: true;
  /** It works until `sunset` and is replaced by `successor`; dates as YYYY-MM-DD (RFC 9745, RFC 8594). */
  deprecated?: { since: string; sunset: string; successor: string };
}

type Permission = `${string}:${string}`;

/** A further permission: always needed, or only when the body names a record in a field. */
export type FurtherPermission = Permission | { permission: Permission; for: string };

type Access =
  | {
      audience?: 'tenant' | 'portal';
      /** Its narrowing holds for every record that the handler reads or writes in its transaction. */
      permission: Permission | typeof signedIn;
      /**
       * Permissions needed beside it, because the operation reaches records of another resource. Whoever lacks one is
       * refused with 403. Who has it narrowed is let in: the handler asks for those records under that narrowing, by
       * `under` in its check, or by `asService` with `reachOf` when another service has them.
       */
      also?: readonly FurtherPermission[];
      /**
       * A caller whose permission is narrowed to own or team records is held to those here. Without it such a caller
       * is refused: an operation on what has no owner would otherwise show everything.
       */
      narrows?: true;
    }
  | { audience: 'public' | 'internal'; permission?: never; narrows?: never; also?: never };

type Effect =
  | { method: 'GET'; body?: never; form?: never; emits?: never; status?: never; mayExist?: never }
  | {
      method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      body?: z.ZodObject;
      /** Instead of a body, a multipart form: one part `file`, which is streamed, and these fields beside it. */
      form?: z.ZodObject;
      emits: readonly EventDef[];
      status?: 200 | 201 | 202 | 204;
      /** Of one that creates: it answers 200 with the first record when the same thing comes again. */
      mayExist?: true;
    };

/** One operation, said once. A write says which events it emits, even when none; every row says who may call it. */
export type Row = RowBase & Access & Effect;

/** A row with the name it goes by everywhere. */
export type Operation<R extends Row = Row> = R & { id: string };

export type Operations = Record<string, Operation>;

/**
 * Names the rows of a resource by their keys.
 * @throws when a row contradicts itself: a field name in two of params, query and body; a path parameter without schema.
 */
export function operations<const T extends Record<string, Row>>(
  rows: T,
): { [K in keyof T]: T[K] & { id: K & string } } {
  const named = Object.entries(rows).map(([id, row]) => [id, { ...row, id }] as const);
  for (const [, row] of named) checkRow(row);
  return Object.fromEntries(named) as never;
}

/** The permissions that every call of a row needs. */
export function neededPermissions({ permission, also = [] }: Row): string[] {
  const always = also.filter((one) => typeof one === 'string');
  return [...(permission && permission !== signedIn ? [permission] : []), ...always];
}

/** The permissions that a row needs for a record that the body names in a field. */
export function permissionsByField({ also = [] }: Row): { permission: string; for: string }[] {
  return also.filter((one) => typeof one !== 'string');
}

/** The status a row answers when it succeeds. */
export function replyStatus(row: Row): number {
  return isRedirect(row.reply) ? 302 : (row.status ?? 200);
}

/** Whether people open it in a browser: it needs no credentials and answers with a page or file. */
export function isForBrowsers({ audience, reply }: Row): boolean {
  return audience === 'public' && mediaOf(reply) !== undefined;
}

/**
 * Whether an Idempotency-Key makes a repetition safe: on every POST of somebody known, and on a public one that creates.
 * Signing in creates nothing that a second time would double.
 */
export function takesIdempotencyKey({ method, audience, status }: Row): boolean {
  return method === 'POST' && (audience !== 'public' || status === 201);
}

function checkRow(row: Operation): void {
  if (mediaOf(row.reply) && row.method !== 'GET') throw new Error(`${row.id}: only a GET answers with other than JSON`);
  const inPath = [...row.path.matchAll(/:([a-zA-Z]+)/g)]
    .map((match) => match[1] as string)
    .filter((field) => !isVerb(row.path, field));
  const declared = keys(row.params);
  for (const field of inPath)
    if (!declared.includes(field)) throw new Error(`${row.id}: the path parameter ${field} has no schema`);
  for (const field of declared)
    if (!inPath.includes(field)) throw new Error(`${row.id}: ${field} does not stand in the path`);
  for (const { permission, for: field } of permissionsByField(row))
    if (!keys(row.body).includes(field))
      throw new Error(`${row.id}: ${permission} is for ${field}, which the body lacks`);
  if (row.body && row.form) throw new Error(`${row.id}: has a body and a form, but a request has one of them`);
  const places = [...declared, ...keys(row.query), ...keys(row.body), ...keys(row.form)];
  const twice = places.find((field, index) => places.indexOf(field) !== index);
  // A body could otherwise stand in for the path's id.
  if (twice) throw new Error(`${row.id}: the field ${twice} stands in two of path, query and body`);
}

/** A colon inside a segment is a verb (`runs:bulk`), at its start a parameter. */
function isVerb(path: string, field: string): boolean {
  return !path.includes(`/:${field}`);
}

function keys(schema: z.ZodObject | undefined): string[] {
  return schema ? Object.keys(schema.shape) : [];
}
