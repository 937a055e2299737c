import type { Caller } from '@tandem/caller';
import { orAbsent, type ServiceClient } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import type { InternalUser, internalUsers } from '@tandem/identity-contract';
import type { z } from 'zod';
import { failField } from './api-error.ts';
import { asService } from './reach.ts';

/** Client that finds the users of identity. */
export type Users = Pick<ServiceClient<typeof internalUsers>, 'findUser'>;

/** A user to whom a record can be assigned. */
export type Assignee = z.output<typeof InternalUser>;

/**
 * The user that a field of a body names; undefined if it names none.
 * @throws a field error unless the id is an active user of the caller's tenant
 */
export async function checkUser(
  { identity }: { identity: Users },
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
