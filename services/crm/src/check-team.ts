import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { Peers } from './handler.ts';

/** Fails with a field error, on `teamId` by default, unless the id is a team of the caller's tenant. */
export async function checkTeam(
  { identity }: Pick<Peers, 'identity'>,
  id: number | null | undefined,
  caller: Caller,
  field = 'teamId',
): Promise<void> {
  if (id === null || id === undefined) return;
  const team = await orAbsent(identity.findTeam({ params: { id }, as: asService(caller) }));
  if (!team) throw failField(field, unknownId('team'));
}
