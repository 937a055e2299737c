import type { Caller, CallerSigner } from '@tandem/caller';
import { callerHeader, ExpiredCallerError } from '@tandem/caller';
import {
  type BodyStream,
  type FieldError,
  isEventStream,
  neededPermissions,
  needsPermission,
  type Operation,
  permissionsByField,
  type RawBody,
  readCookies,
  signedIn,
  unknownFields,
  type Warning,
} from '@tandem/contract';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import type { Request } from 'express';
import type { z } from 'zod';
import { fail } from './api-error.ts';
import { bodyChunks } from './body-stream.ts';
import { requireFeature } from './features.ts';
import type { InvalidItem, SentAs } from './handler.ts';
import { reachOf } from './reach.ts';
import { readEach } from './read-each.ts';
import { printable, readFields } from './read-fields.ts';

/** A request that passed every check that needs no database. */
export interface ReadRequest {
  caller: Caller;
  scope: Scope | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  invalidItems: readonly InvalidItem[];
  isHead: boolean;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  /** The cookies that the row declares. */
  cookies: Record<string, string>;
  /** Parts of the request that have no effect; reported in the response. */
  warnings: Warning[];
  /** Identifies the uploaded file, if the request is a form. */
  file?: SentAs & { checksum: string };
}

/** Maximum size of a body in bytes, if the row names none. */
export const bodyMax = 256 * 1024;
const fieldErrorsMax = 100;
/** Maximum number of warnings in a response. */
export const warningsMax = 10;
const warningNameMax = 64;

/** Verifies the caller and their permissions. */
export function admitCaller(
  request: Request,
  row: Operation,
  { signer, db }: { signer: CallerSigner; db: Pick<TenantDb<unknown>, 'separatesEnvironments'> },
): Pick<ReadRequest, 'caller' | 'scope'> {
  const caller = callerOf(request, signer);
  const scope = scopeOf(caller, row);
  if (row.feature) requireFeature(caller, row.feature);
  // Sandbox keys must not reach users, roles and keys, which live shares: with those they could create a live key.
  const isSandboxKey = caller.type === 'key' && caller.environment === 'sandbox';
  if (isSandboxKey && row.method !== 'GET' && !db.separatesEnvironments) throw fail('live_key_needed');
  if (caller.environment === 'sandbox' && row.inSandbox === 'refused') throw fail('live_needed');
  return { caller, scope };
}

/** Parses every field of an admitted request by the row. */
export function readRequest(
  request: Request,
  row: Operation,
  { caller, scope }: Pick<ReadRequest, 'caller' | 'scope'>,
): ReadRequest {
  const errors: FieldError[] = [];
  const params = read(row.params, request.params, errors);
  // A path with an invalid id is an unknown resource, not an invalid field.
  if (errors.length) throw fail('not_found');
  const named = nest(request.query as Record<string, unknown>, errors);
  const resumeFrom = request.get('last-event-id');
  if (resumeFrom && isEventStream(row.reply)) named.lastEventId = resumeFrom;
  const query = row.query && readFields(row.query, named, errors);
  const sent = jsonBody(request, row);
  const { body, invalidItems } = readBody(request, row, sent, errors);
  // A misspelt name also explains why a required parameter or field is missing.
  const warnings = unknownParameters(row, named);
  if (row.body) warnings.push(...fieldWarnings(unknownFields(row.body, sent, warningsMax - warnings.length)));
  if (errors.length) throw fail('validation_failed', errors.slice(0, fieldErrorsMax), { warnings });
  checkNamedRecords(caller, row, body);
  return {
    caller,
    scope,
    params,
    query,
    body,
    invalidItems,
    isHead: isHead(request),
    ifMatch: request.get('if-match'),
    idempotencyKey: request.get('idempotency-key'),
    cookies: readCookies(request.get('cookie'), Object.keys(row.cookies ?? {})),
    warnings,
  };
}

function callerOf(request: Request, signer: CallerSigner): Caller {
  try {
    const caller = signer.verify(request.get(callerHeader), isHead(request) ? 'GET' : request.method, request.path);
    if (!caller) throw fail('gateway_only');
    return caller;
  } catch (error) {
    // The gateway accepted the request, but this process was too busy to read it in time.
    if (error instanceof ExpiredCallerError) throw fail('unavailable');
    throw error;
  }
}

/** HEAD is GET without the body, and the gateway signs it as GET. */
function isHead({ method }: Request): boolean {
  return method === 'HEAD';
}

function scopeOf(caller: Caller, row: Operation): Scope | undefined {
  const { tenantId, narrow } = caller;
  const environment = row.inSandbox === 'runs_in_live' ? 'live' : caller.environment;
  if (row.audience === 'public') return undefined;
  if (row.audience === 'internal') {
    if (caller.type !== 'system') throw fail('forbidden');
    return tenantId === undefined ? undefined : { tenantId, environment, ...(narrow && { narrow }) };
  }
  if (tenantId === undefined) throw fail('unauthenticated');
  if (neededPermissions(row).some((permission) => reachOf(caller, permission) === 'none')) throw fail('forbidden');
  if (row.permission === signedIn) return { tenantId, environment };
  const reach = reachOf(caller, row.permission as string);
  if (reach === 'none' || (reach !== 'all' && !row.narrows)) throw fail('forbidden');
  return { tenantId, environment, ...(reach !== 'all' && { narrow: reach }) };
}

/** Rejects a caller whose body sets a field that they have no permission for. */
function checkNamedRecords(caller: Caller, row: Operation, body: unknown): void {
  const missing = permissionsByField(row).filter((entry) => {
    return needsPermission(body, entry) && reachOf(caller, entry.permission) === 'none';
  });
  if (!missing.length) return;
  throw fail(
    'forbidden',
    missing.map(({ permission, for: field }) => ({ field, message: `Requires the permission ${permission}` })),
  );
}

function readBody(
  request: Request,
  row: Operation,
  sent: unknown,
  errors: FieldError[],
): Pick<ReadRequest, 'body' | 'invalidItems'> {
  if (row.rawBody) return { body: rawBody(request, row.rawBody, row.bodyMax ?? bodyMax), invalidItems: [] };
  if (row.body && row.checksEach) return readEach(row.body, row.checksEach, sent, errors);
  return { body: read(row.body, sent, errors), invalidItems: [] };
}

function jsonBody(request: Request, row: Operation): unknown {
  if (!row.body) return undefined;
  const hasBody =
    request.get('content-length') !== '0' && (request.get('content-length') ?? request.get('transfer-encoding'));
  if (!hasBody) return {};
  if (!request.is('application/json')) throw fail('wrong_content_type');
  return request.body;
}

function rawBody(
  request: Request,
  { headers: declared, streamed }: NonNullable<Operation['rawBody']>,
  max: number,
): RawBody | BodyStream {
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  const headers = Object.fromEntries(names.map((name) => [name, request.get(name) ?? '']));
  if (streamed) return { chunks: bodyChunks(request, max), headers };
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { bytes, type: request.get('content-type') ?? '', headers };
}

function read(schema: z.ZodObject | undefined, input: unknown, errors: FieldError[]): unknown {
  return schema && readFields(schema, input, errors);
}

/**
 * The errors of a query that is stored to be used with an operation later: unknown parameters, and values that the
 * operation would reject. Required parameters may be absent.
 */
export function storedQueryErrors(row: Operation, query: Record<string, string>): FieldError[] {
  const errors: FieldError[] = [];
  const named = nest(query, errors);
  for (const { field } of unknownParameters(row, named))
    errors.push({ field, message: 'Is not a parameter of this list' });
  if (row.query) readFields(row.query, named, errors);
  const isSent = ({ field }: FieldError) => field in query || (field.split('.')[0] as string) in named;
  return errors.filter(isSent).slice(0, fieldErrorsMax);
}

/**
 * The errors of a body that is stored to be sent to an operation later: unknown fields, and those that the operation would
 * reject. Its ids are internal ones.
 */
export function storedBodyErrors(row: Operation, body: Record<string, unknown>): FieldError[] {
  const errors: FieldError[] = [];
  if (row.body) readFields(row.body, body, errors);
  const unknown = row.body ? unknownFields(row.body, body, warningsMax) : Object.keys(body).slice(0, warningsMax);
  for (const field of unknown) errors.push({ field: printable(field), message: 'Is not a field of this operation' });
  return errors.slice(0, fieldErrorsMax);
}

/** Unknown parameters are ignored with a warning, because a newer client may send them to an older service. */
function unknownParameters(row: Operation, named: Record<string, unknown>): Warning[] {
  const known = row.query?.shape ?? {};
  const unknown = Object.keys(named).filter((name) => !Object.hasOwn(known, name));
  return unknown.slice(0, warningsMax).map((name) => ({
    code: 'unknown_parameter',
    field: printable(name.slice(0, warningNameMax)),
    message: 'Unknown query parameter; it was ignored',
  }));
}

/** The warnings for fields of a body or form that the operation does not have. */
export function fieldWarnings(fields: readonly string[]): Warning[] {
  return fields.slice(0, warningsMax).map((field) => ({
    code: 'unknown_field',
    field: printable(field.slice(0, warningNameMax)),
    message: 'Unknown field; it was ignored',
  }));
}

/**
 * Parses `customFields[color]=red` into an object under customFields, one level deep; a repeated name becomes a list.
 * Other brackets are rejected: ignoring them would leave a filter that matches everything.
 */
function nest(query: Record<string, unknown>, errors: FieldError[]): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is an ordinary key and can be rejected.
  const nested = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(query)) {
    const [, outer, inner] = /^([a-zA-Z]+)\[([^\]]{1,64})\]$/.exec(key) ?? [];
    if (!outer && /[[\]]/.test(key))
      errors.push({
        field: printable(key.slice(0, 100)),
        message: 'Must be a parameter name, optionally with one key in brackets: name[key]',
      });
    else if (!outer || inner === undefined) nested[key] = value;
    else nested[outer] = { ...(nested[outer] as object), [inner]: value };
  }
  return nested;
}
