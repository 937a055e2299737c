import { orAbsent } from '@tandem/client/internal';
import { id } from '@tandem/contract';
import { type ConsumerContext, consumer, type Emit } from '@tandem/events';
import { type InternalUser, userDeactivated, userSuspended } from '@tandem/identity-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Users } from '../check-user.ts';
import { teamOfAssignee } from '../team-of-assignee.ts';
import { changeOwned, type Next, type OwnedRecords } from './owned-records.ts';

/**
 * Job that gives the open work of a user who left to a successor, or to nobody without one. `isLate` marks the second run,
 * for records that were assigned while the user left.
 */
const handOverWorkJob = {
  name: 'hand-over-work',
  payload: z.object({
    tenantId: id('tenant'),
    userId: id('user'),
    reassignTo: id('user').nullable(),
    isLate: z.boolean().optional(),
  }),
};

// Longer than a request takes. Requests check that an assignee is active before their transaction, so a record may still
// be assigned to the user after the event was handled.
const lateMs = 30_000;
// A longer chain of successors who left within the same minutes ends with the last one found.
const successorsMax = 10;

/** The condition of the open records of a user; undefined for records that are not handed over. */
export function openOf<Tx>({ owner, open }: OwnedRecords<Tx>, userId: number) {
  return owner && open && { ...open, [owner]: userId };
}

type User = z.output<typeof InternalUser>;

/**
 * Hands over the next batch of further records of a user who left.
 * @returns whether there may be more
 */
export type HandOverMore<Tx> = (
  inside: { tx: Tx; emit: Emit },
  leaving: { userId: number; successorId: number | null },
) => Promise<boolean>;

/**
 * Schedules the hand-over of the open work of users who left, in both environments: at once, and again for records that
 * were assigned to them while they left. Without a successor, these are all, because identity counted no open work.
 */
export function takeOverWork<Tx>() {
  return consumer({
    name: 'take-over-work',
    on: [userSuspended, userDeactivated],
    everyEnvironment: true,
    async handle(events, { schedule }: ConsumerContext<Tx>) {
      const handovers = events.map(({ tenantId, data: { userId, reassignTo } }) => ({ tenantId, userId, reassignTo }));
      await schedule(handOverWorkJob, handovers);
      const late = handovers.map((one) => ({ ...one, isLate: true }));
      await schedule(handOverWorkJob, late, new Date(Date.now() + lateMs));
    },
  });
}

/**
 * Runs batch by batch until nothing is left. Records that were reassigned or closed meanwhile are left alone, and without
 * a successor, or in the second run, all records of a user who has come back.
 */
export function handOverWork<Tx>(users: Users, records: readonly OwnedRecords<Tx>[], more?: HandOverMore<Tx>) {
  return job({
    ...handOverWorkJob,
    async run({ payload, outside, finish }: JobContext<z.output<typeof handOverWorkJob.payload>, Tx>) {
      const { tenantId, userId, reassignTo, isLate } = payload;
      const as = { tenantId, environment: 'live' as const, requestId: `hand_over_${userId}` };
      const find = (id: number) => orAbsent(users.findUser({ params: { id }, as }));
      if ((isLate || reassignTo === null) && (await outside(() => find(userId)))?.status === 'active') return;
      const successor = reassignTo === null ? null : await outside(() => findSuccessor(find, reassignTo));
      if (successor === undefined || successor?.id === userId) return;
      const next: Next = ({ teamId }) =>
        successor
          ? { owner: successor.id, teamId: teamOfAssignee(successor.teamIds, teamId) }
          : { owner: null, teamId };
      await finish(async (inside) => {
        for (const one of records) {
          const where = openOf(one, userId);
          if (where && (await changeOwned(inside, one, { where, next }))) return new Date();
        }
        const isMore = await more?.(inside, { userId, successorId: successor?.id ?? null });
        return isMore ? new Date() : undefined;
      });
    },
  });
}

/** The successor, or whoever took over from them if they left as well. */
async function findSuccessor(
  find: (id: number) => Promise<User | undefined>,
  userId: number,
): Promise<User | undefined> {
  let user = await find(userId);
  for (let step = 0; step < successorsMax && user?.successorId; step++) user = await find(user.successorId);
  return user;
}
