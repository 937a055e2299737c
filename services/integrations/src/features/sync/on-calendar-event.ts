import {
  calendarEventCancelled,
  calendarEventCompleted,
  calendarEventCreated,
  calendarEventDeleted,
  calendarEventUpdated,
} from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { toJsonColumn } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Tx } from '../../handler.ts';
import { noCounts } from '../connector-runs/run.ts';
import { pushEventJob } from './push-event.ts';

const on = [
  calendarEventCreated,
  calendarEventUpdated,
  calendarEventCancelled,
  calendarEventCompleted,
  calendarEventDeleted,
];

/** Plans to write changed events to the connected calendars of the users who organize or attend them. */
export const pushCalendarEvents = consumer({
  name: 'push-calendar-events',
  on,
  async handle(events, { tx, schedule }: ConsumerContext<Tx>) {
    const active = await tx.connectorConfig.findMany({
      where: { active: true, authorizedBy: { not: null } },
      select: { id: true, connectorKey: true, connectionId: true, settings: true, authorizedBy: true },
    });
    const configs = active.filter(({ connectorKey, settings }) =>
      connectorOf(connectorKey).sync?.push?.isWanted(settings as Record<string, unknown>),
    );
    if (!configs.length) return;
    // The job reads the event as it is then, so one job for several changes is enough.
    const changed = new Map(events.map(({ record }) => [record.id, record]));
    const copies = await tx.syncLink.findMany({
      where: { kind: 'calendar_event', recordId: { in: [...changed.keys()] } },
      select: { connectionId: true, recordId: true },
    });
    const data = [...changed.values()].flatMap(({ id, organizerId, attendees }) => {
      const users = [organizerId, ...attendees.map(({ userId }) => userId)];
      // Also users who have left the event, whose copies are removed.
      const hasCopy = (connectionId: number) =>
        copies.some((copy) => copy.recordId === id && copy.connectionId === connectionId);
      return configs
        .filter(({ authorizedBy, connectionId }) => users.includes(authorizedBy) || hasCopy(connectionId))
        .map(({ id: configId }) => ({
          ...{ configId, calendarEventId: id, trigger: 'event', counts: toJsonColumn(noCounts) },
        }));
    });
    if (!data.length) return;
    const runs = await tx.connectorRun.createManyAndReturn({ data, select: { id: true, calendarEventId: true } });
    await schedule(
      pushEventJob,
      runs.map(({ id: runId, calendarEventId }) => ({ runId, round: 0, calendarEventId: calendarEventId as number })),
    );
  },
});
