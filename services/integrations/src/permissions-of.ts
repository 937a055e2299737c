import type { ServiceClient } from '@tandem/client/internal';
import type { internalUsers } from '@tandem/identity-contract';

interface UserRef {
  tenantId: number;
  environment: 'live' | 'sandbox';
  userId: number;
}

/**
 * Returns the current permissions of a user; none when the user does not exist or is not active.
 * @throws ServiceCallError while identity is unreachable
 */
export type PermissionsOf = (user: UserRef) => Promise<readonly string[]>;

// Same duration as the credential cache of the gateway.
const cacheMs = 5_000;
const usersMax = 10_000;

/**
 * Gets the permissions of users from identity and caches them for 5 s.
 * @param now the time in milliseconds
 */
export function permissionsOfUsers(
  identity: ServiceClient<Pick<typeof internalUsers, 'findUserPermissions'>>,
  now: () => number = Date.now,
): PermissionsOf {
  const cache = new Map<string, { permissions: Promise<readonly string[]>; until: number }>();
  return ({ tenantId, environment, userId }) => {
    const key = `${tenantId} ${userId}`;
    const cached = cache.get(key);
    if (cached && cached.until > now()) return cached.permissions;
    const as = { tenantId, environment, requestId: `permissions_${userId}` };
    const permissions = identity.findUserPermissions({ params: { id: userId }, as }).then((user) => user.permissions);
    if (cache.size >= usersMax) cache.clear();
    cache.set(key, { permissions, until: now() + cacheMs });
    // Failures are not cached. A failure may arrive after a newer request, whose cache entry must stay.
    permissions.catch(() => {
      if (cache.get(key)?.permissions === permissions) cache.delete(key);
    });
    return permissions;
  };
}
