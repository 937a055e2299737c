import type { Caller } from '@tandem/caller';
import { checkTeam } from '../../check-team.ts';
import type { Peers } from '../../handler.ts';

/** Fails with an error for the first id that is no team of the caller's tenant. */
export async function checkTeams(peers: Peers, ids: readonly number[] = [], caller: Caller): Promise<void> {
  for (const [index, id] of ids.entries()) await checkTeam(peers, id, caller, `teamIds.${index}`);
}
