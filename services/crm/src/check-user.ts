import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { Peers } from './handler.ts';

/** Fails with a field error on `field` unless the id is an active user of the caller's tenant. */
export async function checkUser(
  { identity }: Pick<Peers, 'identity'>,
  field: string,
  id: number | null | undefined,
  caller: Caller,
): Promise<void> {
  if (id === null || id === undefined) return;
  const user = await orAbsent(identity.findUser({ params: { id }, as: asService(caller) }));
  if (!user) throw failField(field, unknownId('user'));
  if (user.status !== 'active') throw failField(field, 'The user is not active; send the id of an active user');
}
