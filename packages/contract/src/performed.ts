import { z } from 'zod';
import { type Operation, signedIn, takesIdempotencyKey } from './operation.ts';
import { Environment } from './plans.ts';

/**
 * The reply of the operation in `performs` of a row: the call that the gateway makes as the caller before it forwards the
 * request, or null. It is always a POST, because only a POST has an Idempotency-Key.
 */
export const PerformedCall = z.object({
  call: z
    .object({
      /** The public path, with public ids. */
      path: z.string(),
      /** The body, with public ids. */
      body: z.record(z.string(), z.unknown()),
      idempotencyKey: z.string(),
      environment: Environment,
    })
    .nullable(),
});

// Resources that buttons must not change, because they affect permissions and costs, and a label may hide the effect.
const administered = ['users', 'roles', 'teams', 'api_keys', 'tenant', 'billing', 'webhooks', 'notifications'];

/**
 * Whether the gateway may carry out an operation for `performs`: a POST of a tenant, with a permission that is neither
 * about the account of the caller nor about the administration of the tenant, and without a form or a stream. It acts with
 * the permissions of whoever presses the button.
 */
export function isPerformable(row: Operation): boolean {
  const { permission, audience = 'tenant', form, performs, peopleOnly } = row;
  if (audience !== 'tenant' || !takesIdempotencyKey(row) || form || performs || peopleOnly) return false;
  if (permission === undefined || permission === signedIn) return false;
  return !administered.includes(permission.split(':')[0] as string);
}

/**
 * Whether a button of a user may carry out the operation. The permissions of its creator are checked against the row, so
 * the row must declare every permission that the call can need; buttons of the platform have no creator.
 */
export function isPerformableByUsers(row: Operation): boolean {
  return isPerformable(row) && !row.checksPermissions;
}
