import { orAbsent, type ServiceClient } from '@tandem/client/internal';
import { allows } from '@tandem/contract';
import type { InternalUser, internalUsers } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { z } from 'zod';
import { GatewayError } from '../http/gateway-error.ts';
import type { Authenticated } from './authenticate.ts';
import type { Principals } from './principals.ts';

/**
 * The user in X-On-Behalf-Of that an API key acts for. Only the key's own permissions apply.
 * @throws GatewayError 400 if the caller uses a token, 403 without the permission, 403 `bad_target_user` if the user is not
 * an active user of the tenant, for any reason
 */
export async function actingFor(
  header: string | undefined,
  { who, by, environment }: Authenticated,
  parts: { ids: IdCodec; principals: Principals; users: ServiceClient<typeof internalUsers>; requestId: string },
): Promise<z.output<typeof InternalUser> | undefined> {
  if (header === undefined) return undefined;
  if (by !== 'key')
    throw new GatewayError('malformed_request', {
      errors: [{ field: 'X-On-Behalf-Of', message: 'Requires an API key; omit the header with an access token' }],
    });
  // The permission concerns users, not records, so a grant that is narrowed to own or team records does not count.
  if (allows(who.permissions, 'users:act_as') !== 'all') throw new GatewayError('forbidden');
  const { tenantId } = who;
  const userId = parts.ids.decode('user', tenantId, header);
  if (userId === undefined) throw new GatewayError('bad_target_user');
  const as = { tenantId, environment, requestId: parts.requestId };
  const user = await parts.principals.rememberUser(tenantId, userId, () =>
    orAbsent(parts.users.findUser({ params: { id: userId }, as })),
  );
  if (user?.status !== 'active') throw new GatewayError('bad_target_user');
  return user;
}
