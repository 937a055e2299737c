import type { Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import type { JobActor } from '@tandem/jobs';
import type { Reach } from '@tandem/service';
import { z } from 'zod';
import type { Recipient } from './recipient.ts';

/** Who requested an export, and the user and teams to whose records it is limited; all of the tenant when it is null. */
export const Requester = z.object({
  actor: z.custom<JobActor>((value) => typeof value === 'object' && value !== null),
  narrow: z.object({ userId: z.int(), teamIds: z.array(z.int()).default([]) }).nullable(),
});
export type Requester = z.output<typeof Requester>;

/** @param reach how far the permission to read the records reaches */
export function requesterOf(caller: Caller, reach: Reach): Requester {
  const { permissions, features, narrow, usage, performed, tenantId, environment, ...actor } = caller;
  return {
    actor,
    narrow: reach === 'all' || reach === 'none' ? null : { ...reach, teamIds: [...(reach.teamIds ?? [])] },
  };
}

/**
 * Whether a user may download an export: all who may read all of its records, and the user who requested it while the
 * narrowed permission still reaches what it contains.
 * @param file.permission to read the records
 */
export function mayReceive(
  { userId, permissions, teamIds }: Recipient,
  file: Pick<Requester, 'narrow'> & { permission: string; requestedBy: number | null },
): boolean {
  const reach = allows(permissions, file.permission);
  if (reach === 'all') return true;
  if (!reach || !file.narrow || file.requestedBy !== userId) return false;
  const exported = file.narrow.teamIds;
  return !exported.length || (reach === 'team' && exported.every((id) => teamIds.includes(id)));
}
