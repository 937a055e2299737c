import { orAbsent, type ServiceClient } from '@tandem/client/internal';
import { allows } from '@tandem/contract';
import type { InternalUser, internalUsers } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { z } from 'zod';
import { ApiError } from '../http/api-error.ts';
import type { Authenticated } from './authenticate.ts';
import type { Principals } from './principals.ts';

/**
 * The user that a key acts for, by X-On-Behalf-Of. The key's own permissions stay what counts.
 * @throws ApiError 400 with a token, 403 without the permission, 403 with the spec's text for a user who is not an
 * active one of the tenant, whatever the reason
 */
export async function actingFor(
  header: string | undefined,
  { who, by, environment }: Authenticated,
  parts: { ids: IdCodec; principals: Principals; users: ServiceClient<typeof internalUsers>; requestId: string },
): Promise<z.output<typeof InternalUser> | undefined> {
  if (header === undefined) return undefined;
  if (by !== 'key')
    throw new ApiError('malformed_request', {
      errors: [{ field: 'X-On-Behalf-Of', message: 'Goes only with an API key' }],
    });
  if (!allows(who.permissions, 'users:act_as')) throw new ApiError('forbidden');
  const { tenantId } = who;
  const userId = parts.ids.decode('user', tenantId, header);
  if (userId === undefined) throw new ApiError('bad_target_user');
  const as = { tenantId, environment, requestId: parts.requestId };
  const user = await parts.principals.rememberUser(tenantId, userId, () =>
    orAbsent(parts.users.findUser({ params: { id: userId }, as })),
  );
  if (user?.status !== 'active') throw new ApiError('bad_target_user');
  return user;
}
