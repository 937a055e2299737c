import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { Peers } from './handler.ts';

/** Refuses what is not a team of the caller's tenant, in the field teamId. */
export async function checkTeam(
  { identity }: Pick<Peers, 'identity'>,
  id: number | null | undefined,
  caller: Caller,
): Promise<void> {
  if (id === null || id === undefined) return;
  const team = await orAbsent(identity.findTeam({ params: { id }, as: asService(caller) }));
  if (!team) throw failField('teamId', unknownId('team'));
}
