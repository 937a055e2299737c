import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import type { InternalUser } from '@tandem/identity-contract';
import { asService, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Peers } from './handler.ts';

export type Assignee = z.output<typeof InternalUser>;

/**
 * The user that a field of a body names; undefined if it names none.
 * @throws a field error unless the id is an active user of the caller's tenant
 */
export async function checkUser(
  { identity }: Pick<Peers, 'identity'>,
  field: string,
  id: number | null | undefined,
  caller: Caller,
): Promise<Assignee | undefined> {
  if (id === null || id === undefined) return undefined;
  const user = await orAbsent(identity.findUser({ params: { id }, as: asService(caller) }));
  if (!user) throw failField(field, unknownId('user'));
  if (user.status !== 'active') throw failField(field, 'The user is not active; send the id of an active user');
  return user;
}
