import type { ServiceClient } from '@tandem/client/internal';
import type { internalUsers } from '@tandem/identity-contract';

interface UserOf {
  tenantId: number;
  environment: 'live' | 'sandbox';
  userId: number;
}

/**
 * Returns the current permissions of a user; none when the user does not exist or is not active.
 * @throws ServiceCallError while identity cannot be asked
 */
export type PermissionsOf = (user: UserOf) => Promise<readonly string[]>;

// As long as the gateway remembers credentials.
const freshMs = 5_000;
const usersMax = 10_000;

/**
 * Asks identity for the permissions of users, once in 5 s for each.
 * @param now the time in milliseconds
 */
export function permissionsOfUsers(
  identity: ServiceClient<Pick<typeof internalUsers, 'findUserPermissions'>>,
  now: () => number = Date.now,
): PermissionsOf {
  const known = new Map<string, { permissions: Promise<readonly string[]>; until: number }>();
  return ({ tenantId, environment, userId }) => {
    const key = `${tenantId} ${userId}`;
    const found = known.get(key);
    if (found && found.until > now()) return found.permissions;
    const as = { tenantId, environment, requestId: `permissions_${userId}` };
    const permissions = identity.findUserPermissions({ params: { id: userId }, as }).then((user) => user.permissions);
    if (known.size >= usersMax) known.clear();
    known.set(key, { permissions, until: now() + freshMs });
    // A failure is not remembered: the next delivery asks again. It may arrive after a newer request, whose entry stays.
    permissions.catch(() => {
      if (known.get(key)?.permissions === permissions) known.delete(key);
    });
    return permissions;
  };
}
