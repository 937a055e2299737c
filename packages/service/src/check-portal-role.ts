import { type Operation, portalRoles, portalRolesOf } from '@tandem/contract';
import { fail } from './api-error.ts';
import type { Parts } from './parts.ts';
import type { ReadRequest } from './read-request.ts';

/**
 * Rejects a portal user whose role does not admit the operation. A caller without a partner has no portal session, and the
 * handler finds nothing for them.
 */
export async function checkPortalRole(
  row: Operation,
  { caller, scope }: Pick<ReadRequest, 'caller' | 'scope'>,
  { db, portalRole }: Pick<Parts, 'db' | 'portalRole'>,
): Promise<void> {
  const roles = portalRolesOf(row);
  if (!roles || roles.length === portalRoles.length || caller.partnerId === undefined) return;
  const role = await db.within(scope, async () => portalRole?.(db.tx as never, caller));
  if (!role) throw fail('unauthenticated');
  if (!roles.includes(role)) throw fail('portal_role');
}
