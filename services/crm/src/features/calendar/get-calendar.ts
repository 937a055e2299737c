import type { Caller } from '@tandem/caller';
import {
  type CalendarEntry,
  type calendar,
  calendarDaysMax,
  calendarEntriesMax,
  type calendarEntryTypes,
} from '@tandem/crm-contract';
import { asService, reachOf } from '@tandem/service';
import type { z } from 'zod';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Tx } from '../../handler.ts';
import { accessTo, seenBy } from '../calendar-events/event.ts';
import { readOccurrences } from './occurrences.ts';
import { checkPeriod } from './period.ts';
import type { CalendarTools } from './tools.ts';

type Entry = z.output<typeof CalendarEntry>;
type Query = z.output<typeof calendar.getCalendar.query>;
type Type = (typeof calendarEntryTypes)[number];

/** Tasks and milestones, which are read under their own permissions. */
interface Due {
  entries: Entry[];
  /** The users whose entries are read; undefined for all. */
  userIds: number[] | undefined;
}

type Wanted = Pick<Query, 'from' | 'to'> & Pick<Due, 'userIds'>;

const readMax = calendarEntriesMax + 1;

export const getCalendar = (tools: CalendarTools): Handler<typeof calendar.getCalendar, Due> => ({
  async check({ query, caller, tx, under }) {
    checkPeriod(query, calendarDaysMax);
    await checkTeam(tools, query.teamId, caller);
    const userIds = await wantedUsers(tools, query, caller);
    const wanted = { ...query, userIds };
    const entries: Entry[] = [];
    if (isWanted(query, 'task') && reachOf(caller, 'tasks:read') !== 'none')
      entries.push(...(await under('tasks:read', () => dueTasks(tx, wanted))));
    if (isWanted(query, 'milestone') && reachOf(caller, 'opportunities:read') !== 'none')
      entries.push(...(await under('opportunities:read', () => dueMilestones(tx, wanted))));
    return { entries, userIds };
  },
  async run({ query, caller, tx, found }) {
    const { from, to } = query;
    const { userIds } = found;
    const entries = [...found.entries];
    if (isWanted(query, 'event')) {
      const where = { AND: [accessTo(caller, 'calendar:read'), ofUsers(userIds)] };
      const occurrences = await readOccurrences(tx, { where, period: { from, to }, max: readMax });
      entries.push(...occurrences.map((one) => eventEntry({ ...one, event: seenBy(caller, one.event.record) })));
    }
    if (isWanted(query, 'time_off')) entries.push(...(await timeOffEntries(tx, query, userIds)));
    entries.sort((one, other) => one.startAt.getTime() - other.startAt.getTime());
    return {
      from,
      to,
      entries: entries.slice(0, calendarEntriesMax),
      isTruncated: entries.length > calendarEntriesMax,
    };
  },
});

/** The users of a query: those that it names, the members of its team, or the members that it names. */
async function wantedUsers(
  { identity }: CalendarTools,
  { userIds, teamId }: Query,
  caller: Caller,
): Promise<number[] | undefined> {
  if (teamId === undefined) return userIds;
  const found = await identity.findAssignees({ body: { userIds: [], teamIds: [teamId] }, as: asService(caller) });
  const members = found.map(({ id }) => id);
  return userIds ? userIds.filter((id) => members.includes(id)) : members;
}

function isWanted({ types }: Query, type: Type): boolean {
  return types === undefined || types.includes(type);
}

/** The condition for the events of the users of a query: those that they organize or attend. */
function ofUsers(userIds: number[] | undefined): object {
  if (!userIds) return {};
  const users = { in: userIds };
  return { OR: [{ organizerId: users }, { attendees: { some: { userId: users } } }] };
}

const emptyEntry = {
  eventId: null,
  taskId: null,
  milestoneId: null,
  timeOffId: null,
  allDay: false,
  status: null,
  location: null,
  joinUrl: null,
  leadId: null,
  opportunityId: null,
  originalStartAt: null,
};

async function dueTasks(tx: Tx, { from, to, userIds }: Wanted): Promise<Entry[]> {
  const rows = await tx.task.findMany({
    where: {
      dueAt: { gte: from, lt: to },
      deletedAt: null,
      status: { not: 'cancelled' },
      ...(userIds && { assignedTo: { in: userIds } }),
    },
    orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
    take: readMax,
  });
  return rows.map(({ id, title, status, assignedTo, leadId, opportunityId, dueAt }) => ({
    ...emptyEntry,
    type: 'task',
    taskId: id,
    title,
    startAt: dueAt as Date,
    endAt: dueAt as Date,
    status,
    userId: assignedTo,
    leadId,
    opportunityId,
  }));
}

async function dueMilestones(tx: Tx, { from, to, userIds }: Wanted): Promise<Entry[]> {
  const rows = await tx.milestone.findMany({
    where: {
      dueAt: { gte: from, lt: to },
      ...(userIds && { ownerId: { in: userIds } }),
      opportunity: { deletedAt: null },
    },
    orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
    take: readMax,
  });
  return rows.map(({ id, title, status, ownerId, opportunityId, dueAt }) => ({
    ...emptyEntry,
    type: 'milestone',
    milestoneId: id,
    title,
    startAt: dueAt as Date,
    endAt: dueAt as Date,
    status,
    userId: ownerId,
    opportunityId,
  }));
}

async function timeOffEntries(tx: Tx, { from, to }: Query, userIds: number[] | undefined): Promise<Entry[]> {
  const rows = await tx.timeOff.findMany({
    where: { from: { lt: to }, to: { gt: from }, ...(userIds && { userId: { in: userIds } }) },
    orderBy: [{ from: 'asc' }, { id: 'asc' }],
    take: readMax,
  });
  return rows.map((row) => ({
    ...emptyEntry,
    type: 'time_off',
    timeOffId: row.id,
    title: 'Time off',
    startAt: row.from,
    endAt: row.to,
    userId: row.userId,
  }));
}

function eventEntry({
  event,
  startAt,
  endAt,
  originalStartAt,
}: {
  event: ReturnType<typeof seenBy>;
  startAt: Date;
  endAt: Date;
  originalStartAt: Date | null;
}): Entry {
  const { id, title, allDay, status, organizerId, location, joinUrl, leadId, opportunityId } = event;
  return {
    ...emptyEntry,
    type: 'event',
    eventId: id,
    title,
    startAt,
    endAt,
    allDay,
    status,
    userId: organizerId,
    location,
    joinUrl,
    leadId,
    opportunityId,
    originalStartAt,
  };
}
