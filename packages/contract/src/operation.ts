import { z } from 'zod';
import type { EventDef } from './event.ts';
import type { Feature } from './features.ts';
import { isRedirect, mediaOf } from './media.ts';
import { pathParameters } from './path.ts';

/** The audience: users and keys of a tenant, partner portal sessions, the public, or only our own services. */
export type Audience = 'tenant' | 'portal' | 'public' | 'internal';

/** Errors of an operation's own rules: code → status and message. */
export type ErrorCodes = Record<string, readonly [status: number, message: string]>;

/** The roles of portal users. */
export const portalRoles = ['owner', 'member', 'marketer'] as const;
export type PortalRoleName = (typeof portalRoles)[number];

const defaultPortalRoles: readonly PortalRoleName[] = ['owner', 'member'];

/** The permission of an operation that every signed-in caller may use, such as reading their own user. */
export const signedIn = 'signed-in';

/** A body as it was sent, of a row with `rawBody`. */
export interface RawBody {
  bytes: Uint8Array;
  /** The Content-Type; empty if the client sent none. */
  type: string;
  /** The headers that the row declares, by their names in lower case; empty if the client sent none. */
  headers: Record<string, string>;
}

/** A body as it arrives, of a row with a streamed `rawBody`. */
export interface BodyStream {
  /**
   * The bytes, which the `check` of the handler must read. Fails with 413 when there are more than the row allows, and with
   * 400 when the client disconnects.
   */
  chunks: AsyncIterable<Uint8Array>;
  /** The headers that the row declares, as in `RawBody`. */
  headers: Record<string, string>;
}

interface RowBase {
  /** The public path, `/v1/leads/:id`; a literal segment wins over a parameter. `/*path` at the end matches several segments. */
  path: string;
  summary: string;
  description?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  reply: z.ZodType;
  message: string;
  /** Fields of `data` in the response example that differ from the example of the reply schema. */
  example?: Record<string, unknown>;
  errors?: ErrorCodes;
  /** Upstream timeout in milliseconds, if 10 s is wrong for this operation. */
  timeoutMs?: number;
  /**
   * The list of the body whose items are checked one by one: an invalid item does not reject the request. The handler gets the
   * valid items in the body, and the errors of the others as `invalidItems`.
   */
  checksEach?: string;
  /** Maximum body size in bytes, if 256 KB is wrong for this operation. */
  bodyMax?: number;
  /**
   * Ignores a body that is not JSON, as if none was sent, instead of refusing it (415): mail programs send a form to the
   * one-click target of a message (RFC 8058).
   */
  ignoresOtherMedia?: true;
  /**
   * Calls without credentials come from addresses that stand for many people, such as image proxies of mail programs and
   * providers of messages: they have a larger allowance of their own.
   */
  fromSharedAddresses?: true;
  /**
   * Lets scripts of every origin read the response, whatever origins the deployment lists: the pages of a sandbox, whose
   * origin is `null`, load parts of themselves.
   */
  forAnyOrigin?: true;
  /**
   * Passes the body on as it was sent, of any media type, because its sender signs the bytes. The handler gets a `RawBody`.
   * `headers` are those of the client that reach the service, each with its description. A `streamed` body is in no memory
   * as a whole, neither in the gateway nor in the service: the handler gets a `BodyStream`.
   */
  rawBody?: { headers: Record<string, string>; streamed?: true };
  /** Declares that the response can be a redirect (302) to an address in its data, because the query asks for it. */
  mayRedirect?: true;
  /** A reduced envelope: only success and message around `data`, or `data` alone. */
  envelope?: 'short' | 'none';
  /** Declares that the operation checks If-Match although neither its reply nor a GET of its path has a version. */
  ifMatch?: true;
  /** Response headers of this operation, each with its description; the handler sets them. */
  headers?: Record<string, string>;
  /**
   * Cookies that a public operation reads and sets, each with its description: only these reach the service, and a
   * browser may send them from the API's own origin or a listed one only.
   */
  cookies?: Record<string, string>;
  /**
   * Lets a public operation enter suspended tenants, because it handles the suspension itself: sign-in reports it only
   * after the correct password. For other public operations a suspended tenant does not exist (404).
   */
  whileSuspended?: true;
  /**
   * Declares that the handler checks permissions that depend on the request and that `also` cannot express. A button
   * of a user cannot perform the operation, because the permissions of the creator of the button cannot be checked.
   */
  checksPermissions?: true;
  /**
   * Serves domains of tenants instead of the platform's own host: the gateway matches the path on other hosts only, and
   * gives the host to the handler as `caller.host`.
   */
  hosts?: 'tenants';
  /** Requires a person's token; an API key is rejected. */
  peopleOnly?: true;
  /**
   * For operations on data that live and sandbox share, and that send mail: with `X-Environment: sandbox` the operation
   * runs in live, or is refused because it would mail somebody who has no account. Sandbox keys are always refused.
   */
  inSandbox?: 'runs_in_live' | 'refused';
  /**
   * The path of an internal operation of the same service, with the same parameters and the reply `PerformedCall`. Before
   * the gateway forwards the request, it makes the call that this operation names as the caller, and adds its result to
   * the signed caller (`Caller.performed`).
   */
  performs?: string;
  /** Works until `sunset` and is replaced by `successor`; dates as YYYY-MM-DD (RFC 9745, RFC 8594). */
  deprecated?: { since: string; sunset: string; successor: string };
}

type Permission = `${string}:${string}`;

/** An additional permission: always required, or only for a field of the body. */
export type FurtherPermission = Permission | PermissionForField;

interface PermissionForField {
  permission: Permission;
  /** The field that requires it, unless it is absent or null, as `change.accountId`. */
  for: string;
  /** The only value of the field that requires it. */
  is?: true;
}

type Access =
  | {
      audience?: 'tenant' | 'portal';
      /** Its narrowing applies to every record that the handler reads or writes in its transaction. */
      permission: Permission | typeof signedIn;
      /**
       * Additional permissions, because the operation accesses records of another resource. A caller who lacks one gets
       * 403. A caller who has one narrowed is let in: the handler must read those records under that narrowing, with
       * `under` in its check, or with `asService` and `reachOf` when another service stores them.
       */
      also?: readonly FurtherPermission[];
      /**
       * Accepts callers narrowed to own or team records and limits them to these. Without it they are rejected, because
       * an operation on resources without an owner would show them everything.
       */
      narrows?: true;
      /**
       * The roles of portal users who may perform an operation of the portal; owners and members by default. The service
       * checks them with `portalRole` of its definition.
       */
      portalRoles?: readonly PortalRoleName[];
      /**
       * The feature that the tenant needs, from its plan or an addon. Only for writes: existing data stays readable
       * when the tenant loses the feature. Operations that stop or
       * remove something need none: pause, archive, delete.
       */
      feature?: Feature;
    }
  | {
      audience: 'public' | 'internal';
      permission?: never;
      narrows?: never;
      portalRoles?: never;
      also?: never;
      feature?: never;
    };

type Effect =
  | {
      method: 'GET';
      body?: never;
      form?: never;
      /** Events of a GET, which then runs in a transaction: a read that is recorded, or the redirect that completes single sign-on. */
      emits?: readonly EventDef[];
      status?: never;
      mayExist?: never;
    }
  | {
      method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      body?: z.ZodObject;
      /** A multipart form instead of a body: one part `file`, which is streamed, and these fields. */
      form?: z.ZodObject;
      emits: readonly EventDef[];
      status?: 200 | 201 | 202 | 204;
      /** For creation: returns 200 with the existing record when the same one is created again. */
      mayExist?: true;
    };

/** One operation. A write lists the events it emits, even if none; every row states who may call it. */
export type Row = RowBase & Access & Effect;

/** A row with its operation id. */
export type Operation<R extends Row = Row> = R & { id: string };

export type Operations = Record<string, Operation>;

/**
 * Assigns each row its key as operation id.
 * @throws when a row is inconsistent: a field name occurs in two of params, query and body, or a path parameter has no
 * schema
 */
export function operations<const T extends Record<string, Row>>(
  rows: T,
): { [K in keyof T]: T[K] & { id: K & string } } {
  const named = Object.entries(rows).map(([id, row]) => [id, { ...row, id }] as const);
  for (const [, row] of named) checkRow(row);
  return Object.fromEntries(named) as never;
}

/** The permissions that every call of a row requires. */
export function neededPermissions({ permission, also = [] }: Row): string[] {
  const always = also.filter((entry) => typeof entry === 'string');
  return [...(permission && permission !== signedIn ? [permission] : []), ...always];
}

/** The permissions that a row requires for fields of the body, and the values of these fields. */
export function permissionsByField({ also = [] }: Row): PermissionForField[] {
  return also.filter((entry) => typeof entry !== 'string');
}

/** The roles of portal users who may perform an operation; undefined outside of the portal. */
export function portalRolesOf({ audience, portalRoles: own }: Row): readonly PortalRoleName[] | undefined {
  return audience === 'portal' ? (own ?? defaultPortalRoles) : undefined;
}

/** Whether a body requires a permission of `permissionsByField`. */
export function needsPermission(body: unknown, { for: field, is }: PermissionForField): boolean {
  const value = field
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], body);
  return is === undefined ? value !== undefined && value !== null : value === is;
}

/** The status of a successful response. */
export function replyStatus(row: Row): number {
  return isRedirect(row.reply) ? 302 : (row.status ?? 200);
}

/** Whether people open the operation in a browser: it needs no credentials and serves a page or file. */
export function isForBrowsers({ audience, reply }: Row): boolean {
  return audience === 'public' && mediaOf(reply) !== undefined;
}

/**
 * Whether the operation accepts an Idempotency-Key: every POST with a known caller, and a public one that creates.
 * Signing in creates nothing that a retry would duplicate.
 */
export function takesIdempotencyKey({ method, audience, status }: Row): boolean {
  return method === 'POST' && (audience !== 'public' || status === 201);
}

function checkRow(row: Operation): void {
  if (row.feature && row.method === 'GET') throw new Error(`${row.id}: a GET needs no feature`);
  if (row.forAnyOrigin && !isForBrowsers(row)) throw new Error(`${row.id}: only a public file is for any origin`);
  // A form of a page without JavaScript is answered by a redirect to a page.
  if (mediaOf(row.reply) && row.method !== 'GET' && !(isRedirect(row.reply) && row.rawBody))
    throw new Error(`${row.id}: only a GET may return a media type other than JSON`);
  const inPath = pathParameters(row.path);
  const declared = keys(row.params);
  for (const field of inPath)
    if (!declared.includes(field)) throw new Error(`${row.id}: the path parameter ${field} has no schema`);
  for (const field of declared)
    if (!inPath.includes(field)) throw new Error(`${row.id}: the parameter ${field} is not in the path`);
  for (const { permission, for: field } of permissionsByField(row))
    if (!hasField(row.body, field.split('.')))
      throw new Error(`${row.id}: ${permission} is required for ${field}, which is not in the body`);
  if (row.portalRoles && row.audience !== 'portal') throw new Error(`${row.id}: only the portal has portalRoles`);
  if (row.whileSuspended && row.audience !== 'public')
    throw new Error(`${row.id}: only a public operation can be open while its tenant is suspended`);
  // Paths below /v1/ belong to the API on every host.
  if (row.hosts && (row.audience !== 'public' || row.method !== 'GET' || row.path.startsWith('/v1/')))
    throw new Error(`${row.id}: only a public GET outside of /v1/ serves the domains of tenants`);
  // Otherwise a cookie would be a credential that the gateway does not check.
  if (row.cookies && row.audience !== 'public') throw new Error(`${row.id}: only a public operation reads cookies`);
  if (row.performs && pathParameters(row.performs).join() !== inPath.join())
    throw new Error(`${row.id}: the path in performs must have the parameters of the operation`);
  if (row.body && row.form) throw new Error(`${row.id}: an operation has either a body or a form, not both`);
  if (row.checksEach && !(row.body?.shape[row.checksEach] instanceof z.ZodArray))
    throw new Error(`${row.id}: checksEach must name a required list of the body`);
  const takesBytes = row.method === 'POST' || (row.method === 'PUT' && row.rawBody?.streamed);
  const isOpen = row.audience === 'public' || row.audience === 'internal';
  if (row.rawBody && (row.body || row.form || !isOpen || !takesBytes))
    throw new Error(
      `${row.id}: only a public or internal POST or streamed PUT without body and form can take the bytes of a body`,
    );
  const places = [...declared, ...keys(row.query), ...keys(row.body), ...keys(row.form)];
  const twice = places.find((field, index) => places.indexOf(field) !== index);
  // Otherwise a field of the body could override the id of the path.
  if (twice) throw new Error(`${row.id}: the field ${twice} is in more than one of path, query and body`);
}

function hasField(schema: z.ZodType | undefined, [name = '', ...rest]: string[]): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return hasField(schema.unwrap() as z.ZodType, [name, ...rest]);
  if (!(schema instanceof z.ZodObject) || !(name in schema.shape)) return false;
  return rest.length ? hasField(schema.shape[name], rest) : true;
}

function keys(schema: z.ZodObject | undefined): string[] {
  return schema ? Object.keys(schema.shape) : [];
}
