import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import type { JobScope } from '@tandem/jobs';
import type { Tools } from './handler.ts';

/**
 * A user as a caller, with the permissions and the teams that they have now, for work that a job does in their name.
 * @returns undefined unless the user is active
 * @throws ServiceCallError while identity is unreachable
 */
export async function readActingUser(
  { identity }: Pick<Tools, 'identity'>,
  userId: number,
  { scope, requestId }: { scope: JobScope; requestId: string },
): Promise<Caller | undefined> {
  const [params, as] = [{ id: userId }, { ...scope, requestId }];
  const user = await orAbsent(identity.findUser({ params, as }));
  if (user?.status !== 'active') return undefined;
  const { permissions } = await identity.findUserPermissions({ params, as });
  return { type: 'user', userId, name: user.name, teamIds: user.teamIds, permissions, requestId, ...scope };
}
