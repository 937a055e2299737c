import type { Caller, CallerSigner } from '@tandem/caller';
import { callerHeader, ExpiredCaller } from '@tandem/caller';
import {
  type FieldError,
  neededPermissions,
  type Operation,
  permissionsByField,
  signedIn,
  type Warning,
} from '@tandem/contract';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import type { Request } from 'express';
import type { z } from 'zod';
import { fail } from './api-error.ts';
import { reachOf } from './reach.ts';
import { readFields } from './read-fields.ts';

/** A request after every check that does not need the database. */
export interface ReadRequest {
  caller: Caller;
  scope: Scope | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  /** What the request says without effect; the answer tells. */
  warnings: Warning[];
  /** Of a form: the checksum of its file. */
  checksum?: string;
}

const fieldErrorsMax = 100;
const warningsMax = 10;
const warningNameMax = 64;

/** Verifies who calls, whether they may, and that every field is what the row says. */
export function readRequest(
  request: Request,
  row: Operation,
  { signer, db }: { signer: CallerSigner; db: Pick<TenantDb<unknown>, 'separatesEnvironments'> },
): ReadRequest {
  const caller = callerOf(request, signer);
  const scope = scopeOf(caller, row);
  // A test program's key must not reach real users, roles and keys: with those it could make itself a live key.
  const isSandboxKey = caller.type === 'key' && caller.environment === 'sandbox';
  if (isSandboxKey && row.method !== 'GET' && !db.separatesEnvironments) throw fail('live_key_needed');
  const errors: FieldError[] = [];
  const params = read(row.params, request.params, errors);
  // A path that names nothing is an unknown resource, not a wrong field.
  if (errors.length) throw fail('not_found');
  const named = nest(request.query as Record<string, unknown>, errors);
  const query = row.query && readFields(row.query, named, errors);
  const body = read(row.body, jsonBody(request, row), errors);
  if (errors.length) throw fail('validation_failed', errors.slice(0, fieldErrorsMax));
  checkNamedRecords(caller, row, body);
  return {
    caller,
    scope,
    params,
    query,
    body,
    ifMatch: request.get('if-match'),
    idempotencyKey: request.get('idempotency-key'),
    warnings: unknownParameters(row, named),
  };
}

function callerOf(request: Request, signer: CallerSigner): Caller {
  try {
    const caller = signer.verify(request.get(callerHeader), isHead(request) ? 'GET' : request.method, request.path);
    if (!caller) throw fail('gateway_only');
    return caller;
  } catch (error) {
    // The gateway has let the request pass, and this process was too busy to read it in time.
    if (error instanceof ExpiredCaller) throw fail('unavailable');
    throw error;
  }
}

/** HEAD is GET without the body, and is signed as that. */
function isHead({ method }: Request): boolean {
  return method === 'HEAD';
}

function scopeOf(caller: Caller, row: Operation): Scope | undefined {
  const { tenantId, environment, narrow } = caller;
  if (row.audience === 'public') return undefined;
  if (row.audience === 'internal') {
    if (caller.type !== 'system') throw fail('forbidden');
    return tenantId === undefined ? undefined : { tenantId, environment, ...(narrow && { narrow }) };
  }
  if (tenantId === undefined) throw fail('unauthenticated');
  if (neededPermissions(row).some((one) => reachOf(caller, one) === 'none')) throw fail('forbidden');
  if (row.permission === signedIn) return { tenantId, environment };
  const reach = reachOf(caller, row.permission as string);
  if (reach === 'none' || (reach !== 'all' && !row.narrows)) throw fail('forbidden');
  return { tenantId, environment, ...(reach !== 'all' && { narrow: reach }) };
}

/** Refuses a caller who names a record of a resource that they have no permission for. */
function checkNamedRecords(caller: Caller, row: Operation, body: unknown): void {
  const missing = permissionsByField(row).filter(({ permission, for: field }) => {
    const named = (body as Record<string, unknown> | undefined)?.[field];
    return named !== undefined && named !== null && reachOf(caller, permission) === 'none';
  });
  if (!missing.length) return;
  throw fail(
    'forbidden',
    missing.map(({ permission, for: field }) => ({ field, message: `Needs the permission ${permission}` })),
  );
}

function jsonBody(request: Request, row: Operation): unknown {
  if (!row.body) return undefined;
  const hasBody =
    request.get('content-length') !== '0' && (request.get('content-length') ?? request.get('transfer-encoding'));
  if (!hasBody) return {};
  if (!request.is('application/json')) throw fail('wrong_content_type');
  return request.body;
}

function read(schema: z.ZodObject | undefined, given: unknown, errors: FieldError[]): unknown {
  return schema && readFields(schema, given, errors);
}

/** Parameters that the operation does not have are ignored, as a newer client may send them to an older service. */
function unknownParameters(row: Operation, named: Record<string, unknown>): Warning[] {
  const known = row.query?.shape ?? {};
  const unknown = Object.keys(named).filter((name) => !Object.hasOwn(known, name));
  return unknown.slice(0, warningsMax).map((name) => ({
    code: 'unknown_parameter',
    field: name.slice(0, warningNameMax),
    message: 'This operation has no such query parameter; it was ignored',
  }));
}

/**
 * `customFields[color]=red` becomes an object under customFields, one level deep; a name given twice becomes a list. Other
 * brackets are refused: left out, they would make a filter that matches everything.
 */
function nest(query: Record<string, unknown>, errors: FieldError[]): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a key like any other and can be refused.
  const nested = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(query)) {
    const [, outer, inner] = /^([a-zA-Z]+)\[([^\]]{1,64})\]$/.exec(key) ?? [];
    if (!outer && /[[\]]/.test(key))
      errors.push({
        field: key.slice(0, 100),
        message: 'Must be a name, or a name with one key in brackets: name[key]',
      });
    else if (!outer || inner === undefined) nested[key] = value;
    else nested[outer] = { ...(nested[outer] as object), [inner]: value };
  }
  return nested;
}
