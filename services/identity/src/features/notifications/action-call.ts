import { createHash } from 'node:crypto';
import { agents } from '@tandem/agents-contract';
import { analytics } from '@tandem/analytics-contract';
import { campaign } from '@tandem/campaign-contract';
import {
  allows,
  compilePaths,
  type FieldError,
  idTypeOf,
  isPerformableByUsers,
  neededPermissions,
  needsPermission,
  type Operation,
  pathParameters,
  permissionsByField,
  type SchemaNode,
  walkIds,
} from '@tandem/contract';
import { crm } from '@tandem/crm-contract';
import { files } from '@tandem/files-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { integrations } from '@tandem/integrations-contract';
import { partner } from '@tandem/partner-contract';
import { search } from '@tandem/search-contract';
import { fail, storedBodyErrors } from '@tandem/service';
import { training } from '@tandem/training-contract';
import type { Action } from './notification.ts';

// Identity itself has no operation that a button may carry out: see isPerformable.
const services = [agents, analytics, campaign, crm, files, integrations, partner, search, training];

/** The operations that a button may carry out. */
const find = compilePaths(
  services.flatMap((rows) =>
    Object.values(rows)
      .filter((row: Operation) => isPerformableByUsers(row))
      .map((row: Operation) => ({ method: row.method, path: row.path, value: row })),
  ),
);

// No id schema accepts it, so an invalid id is reported with the other errors.
const invalidId = '-';

interface Creator {
  tenantId: number;
  permissions: readonly string[];
  ids: IdCodec;
}

/**
 * Checks the operations of action buttons. A creator whose permission is limited to own or team records is refused,
 * because the button acts with the wider permissions of whoever presses it.
 * @throws ApiError 422 for an unknown path, an id of another tenant or a wrong body, 403 without the permission
 */
export function checkActionCalls(actions: readonly Action[], creator: Creator): void {
  const calls = actions.flatMap((action, index) => (action.type === 'api' ? [{ action, at: `actions.${index}` }] : []));
  const found = calls.map(({ action, at }) => ({ action, at, match: find('POST', action.url as string) }));
  const errors: FieldError[] = [];
  const denied: FieldError[] = [];
  for (const { action, at, match } of found) {
    if (!match || !('found' in match)) {
      errors.push({
        field: `${at}.url`,
        message: 'Must be the path of an operation with POST that a button may perform',
      });
      continue;
    }
    const { found: row, values } = match;
    const missing = permissionsOf(row, action.body).filter((needed) => allows(creator.permissions, needed) !== 'all');
    if (missing.length)
      denied.push({ field: `${at}.url`, message: `Requires the permission ${missing.join(' and ')}` });
    if (!hasOwnIds(row, values, creator))
      errors.push({ field: `${at}.url`, message: 'Must contain ids of this tenant, of the type that the path needs' });
    for (const { field, message } of bodyErrors(row, action.body, creator))
      errors.push({ field: `${at}.body.${field}`, message });
  }
  if (errors.length) throw fail('validation_failed', errors);
  if (denied.length) throw fail('forbidden', denied);
}

/** All permissions that a call with this body requires. */
function permissionsOf(row: Operation, body: Action['body']): string[] {
  const named = permissionsByField(row).filter((entry) => needsPermission(body, entry));
  return [...new Set([...neededPermissions(row), ...named.map(({ permission }) => permission)])];
}

function hasOwnIds({ path, params }: Operation, values: string[], { ids, tenantId }: Creator): boolean {
  return pathParameters(path).every((field, index) => {
    const type = idTypeOf(params?.shape[field] as SchemaNode);
    return !type || ids.decode(type, tenantId, values[index] as string) !== undefined;
  });
}

function bodyErrors(row: Operation, body: Action['body'], { ids, tenantId }: Creator): FieldError[] {
  const internal = structuredClone(body ?? {});
  const paths = walkIds(row.body);
  if (paths.length)
    compileRewriter(paths)(internal, (type, found) =>
      typeof found === 'string' ? String(ids.decode(type, tenantId, found) ?? invalidId) : found,
    );
  return storedBodyErrors(row, internal);
}

/** The Idempotency-Key of an action's call. It follows from the notification, so that every press has the same one. */
export function callKeyOf({ tenantId, id }: { tenantId: number; id: number }, actionId: string): string {
  return createHash('sha256').update(`notification ${tenantId} ${id} ${actionId}`).digest('hex');
}
