import { allows, missingFeature, neededPermissions } from '@tandem/contract';
import { GatewayError } from '../http/gateway-error.ts';
import type { Route } from '../routes.ts';
import type { Authenticated } from './authenticate.ts';

/**
 * Rejects a caller without the permission of an operation, or whose tenant lacks its feature.
 * @throws GatewayError 403
 */
export function checkPermission(auth: Authenticated | undefined, { row }: Route): void {
  if (!auth) return;
  if (row.peopleOnly && auth.by === 'key')
    throw new GatewayError('forbidden', {
      errors: [
        { field: 'X-API-Key', message: 'Does not accept an API key: sign in, and send Authorization and X-Tenant-Id' },
      ],
    });
  const { permissions, features } = auth.who;
  if (!neededPermissions(row).every((one) => allows(permissions, one))) throw new GatewayError('forbidden');
  if (row.feature && features && !features.includes(row.feature))
    throw new GatewayError('feature_not_available', missingFeature(row.feature));
}
