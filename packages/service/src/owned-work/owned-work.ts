import type { Caller } from '@tandem/caller';
import type { Consumer } from '@tandem/events';
import type { Job } from '@tandem/jobs';
import type { Users } from '../check-user.ts';
import { followMembers, followTeams } from './follow-teams.ts';
import { type HandOverMore, handOverWork, openOf, takeOverWork } from './hand-over-work.ts';
import type { OwnedRecords } from './owned-records.ts';

interface Asked<Tx> {
  body: { userId: number };
  caller: Caller;
  tx: Tx;
}

/**
 * Derived from a service's declaration of the owners of its records: the handler of the operation that counts
 * the open work of a user (`countsOpenWork`), and the consumers and jobs that give this work to a successor when the
 * user leaves, and let records follow their owner from team to team. A service without open records only follows teams.
 * @param records the owned records by kind; each model has the columns `teamId` and `version`
 * @param more hands over records that do not have these columns, and that a user may leave without a successor for them
 */
export function ownedWork<Tx, Kind extends string>(
  users: Users,
  records: Record<Kind, OwnedRecords<Tx>>,
  more?: HandOverMore<Tx>,
) {
  const all: OwnedRecords<Tx>[] = Object.values(records);
  const kinds = Object.entries(records) as [Kind, OwnedRecords<Tx>][];
  const isHandedOver = all.some(({ open }) => open);
  const consumers = [followMembers<Tx>(), ...(isHandedOver ? [takeOverWork<Tx>()] : [])] as unknown as Consumer<
    never,
    Tx
  >[];
  const jobs = [followTeams(users, all), ...(isHandedOver ? [handOverWork(users, all, more)] : [])] as unknown as Job<
    never,
    Tx
  >[];
  return {
    consumers,
    jobs,
    /** Handler of the operation that counts open work. */
    async countOpenWork({ body: { userId }, caller, tx }: Asked<Tx>): Promise<Record<Kind, number>> {
      const counts = await Promise.all(
        kinds.map(async ([kind, one]) => {
          const where = openOf(one, userId);
          // Without a tenant the tenant guard would throw an internal error.
          return [kind, where && caller.tenantId !== undefined ? await one.model(tx).count({ where }) : 0];
        }),
      );
      return Object.fromEntries(counts);
    },
  };
}
