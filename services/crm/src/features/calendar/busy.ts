import type { Tx } from '../../handler.ts';
import { readOccurrences } from './occurrences.ts';
import type { Period } from './working-hours.ts';

/** A period in which a user is not free. */
export interface BusyTime {
  userId: number;
  startAt: Date;
  endAt: Date;
  type: 'event' | 'time_off';
}

const eventsMax = 5_000;

/** When users are not free: in events that they have not declined, and in their time off. By time. */
export async function busyTimes(tx: Tx, userIds: readonly number[], period: Period): Promise<BusyTime[]> {
  const users = { in: [...userIds] };
  const where = { OR: [{ organizerId: users }, { attendees: { some: { userId: users } } }] };
  const found = await readOccurrences(tx, { where, period, max: eventsMax });
  const inEvents = found.flatMap(({ event, startAt, endAt }) =>
    userIds
      .filter((userId) => attends(event.record, userId))
      .map((userId): BusyTime => ({ userId, startAt, endAt, type: 'event' })),
  );
  const away = await tx.timeOff.findMany({
    where: { userId: users, from: { lt: period.to }, to: { gt: period.from } },
    orderBy: [{ from: 'asc' }, { id: 'asc' }],
  });
  const inTimeOff = away.map(
    ({ userId, from, to }): BusyTime => ({ userId, startAt: from, endAt: to, type: 'time_off' }),
  );
  return [...inEvents, ...inTimeOff].sort((one, other) => one.startAt.getTime() - other.startAt.getTime());
}

interface Attended {
  status: string;
  organizerId: number | null;
  attendees: readonly { userId: number | null; response: string }[];
}

function attends({ status, organizerId, attendees }: Attended, userId: number): boolean {
  if (status !== 'scheduled') return false;
  const attendee = attendees.find((one) => one.userId === userId);
  return attendee ? attendee.response !== 'declined' : organizerId === userId;
}
