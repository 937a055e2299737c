import { Environment } from '@tandem/contract';
import { isCatalogued, mayReceive } from '../../catalogue.ts';
import type { Tools } from '../../handler.ts';
import type { DueDelivery } from './delivery.ts';

type Authorized = Pick<
  DueDelivery,
  'tenantId' | 'environment' | 'authorizedBy' | 'authorizedPermissions' | 'event' | 'createdAt'
>;

// How long a delivery waits for an instance of the release that knows its event; the same as for consumers.
const unknownEventMaxMs = 24 * 3_600_000;

/**
 * Whether both the current permissions of the authorizing user and those of the credential used at registration allow
 * reading the event's records; undefined while identity is unreachable, or while the event is known to another release
 * only, whose instances know the permission that it needs.
 */
export async function checkPermission(
  { permissionsOf }: Tools,
  { tenantId, environment, authorizedBy: userId, authorizedPermissions, event, createdAt }: Authorized,
): Promise<boolean | undefined> {
  if (userId === null) return false;
  if (!isCatalogued(event)) return Date.now() - createdAt.getTime() < unknownEventMaxMs ? undefined : false;
  if (authorizedPermissions && !mayReceive(authorizedPermissions, event)) return false;
  const user = { tenantId, environment: Environment.parse(environment), userId };
  return permissionsOf(user).then(
    (permissions) => mayReceive(permissions, event),
    () => undefined,
  );
}
