import type { Caller, CallerSigner } from '@tandem/caller';
import { callerHeader } from '@tandem/caller';
import { allows, type FieldError, type Operation, signedIn } from '@tandem/contract';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import type { Request } from 'express';
import type { z } from 'zod';
import { fail } from './failure.ts';
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
  /** Of a form: the checksum of its file. */
  checksum?: string;
}

const fieldErrorsMax = 100;

/** Verifies who calls, whether they may, and that every field is what the row says. */
export function readRequest(
  request: Request,
  row: Operation,
  { signer, db }: { signer: CallerSigner; db: Pick<TenantDb<unknown>, 'separatesEnvironments'> },
): ReadRequest {
  const caller = signer.verify(request.get(callerHeader), isHead(request) ? 'GET' : request.method, request.path);
  if (!caller) throw fail('gateway_only');
  const scope = scopeOf(caller, row);
  // A test program's key must not reach real users, roles and keys: with those it could make itself a live key.
  const isSandboxKey = caller.type === 'key' && caller.environment === 'sandbox';
  if (isSandboxKey && row.method !== 'GET' && !db.separatesEnvironments) throw fail('live_key_needed');
  const errors: FieldError[] = [];
  const params = read(row.params, request.params, errors);
  // A path that names nothing is an unknown resource, not a wrong field.
  if (errors.length) throw fail('not_found');
  const query = read(row.query, nest(request.query as Record<string, unknown>), errors);
  const body = read(row.body, jsonBody(request, row), errors);
  if (errors.length) throw fail('validation_failed', errors.slice(0, fieldErrorsMax));
  return {
    caller,
    scope,
    params,
    query,
    body,
    ifMatch: request.get('if-match'),
    idempotencyKey: request.get('idempotency-key'),
  };
}

/** HEAD is GET without the body, and is signed as that. */
function isHead({ method }: Request): boolean {
  return method === 'HEAD';
}

function scopeOf(caller: Caller, row: Operation): Scope | undefined {
  const { tenantId, environment } = caller;
  if (row.audience === 'public') return undefined;
  if (row.audience === 'internal') {
    if (caller.type !== 'system') throw fail('forbidden');
    return tenantId === undefined ? undefined : { tenantId, environment };
  }
  if (tenantId === undefined) throw fail('unauthenticated');
  if (row.permission === signedIn) return { tenantId, environment };
  const reach = allows(caller.permissions, row.permission as string);
  if (!reach || (reach !== 'all' && !row.narrows)) throw fail('forbidden');
  if (reach === 'all') return { tenantId, environment };
  const userId = caller.onBehalfOf ?? caller.userId;
  if (userId === undefined) throw fail('forbidden');
  return { tenantId, environment, narrow: { userId, ...(reach === 'team' && { teamIds: caller.teamIds ?? [] }) } };
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

/** `customFields[color]=red` becomes an object under customFields, one level deep; a name given twice becomes a list. */
function nest(query: Record<string, unknown>): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(query)) {
    const [, outer, inner] = /^([a-zA-Z]+)\[([^\]]{1,64})\]$/.exec(key) ?? [];
    if (!outer || inner === undefined) nested[key] = value;
    else nested[outer] = { ...(nested[outer] as object), [inner]: value };
  }
  return nested;
}
