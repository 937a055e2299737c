import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import { connectorOf } from '../../connectors/index.ts';
import type { Copy, OutgoingEvent, Sync } from '../../connectors/sync.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import {
  beginRun,
  callInTurn,
  cancelRun,
  type DueRun,
  endRun,
  giveUpRun,
  lockRunning,
  retryLater,
} from '../connector-runs/conclude-run.ts';
import { noCounts, succeedRun } from '../connector-runs/run.ts';
import { type As, readActingUser } from './acting-user.ts';
import { type Event, fieldsOfEvent, guestsOfEvent, hashOfEvent } from './event-fields.ts';
import { hashOfRecord, type LinkRow, linkOf, type Place, placeOf, storeLink } from './link.ts';
import { pushEventJob } from './push-event.ts';
import type { Called } from './read-page.ts';
import { isTemporary, limitedTo } from './writing.ts';

type Payload = z.output<typeof pushEventJob.payload>;
type Context = JobContext<Payload, Tx>;
type Push = NonNullable<Sync['push']>;

interface DuePush extends DueRun {
  push: Push;
  place: Place;
  event: Event | undefined;
  link: LinkRow | null;
  series: LinkRow | null;
}

/** The result of a push in the connected calendar. */
interface Pushed {
  /** The copy; null if it was removed, or if there was nothing to do. */
  copy: Awaited<ReturnType<Push['put']>> | null;
  /** The event as it was written. */
  event: Event | undefined;
  isUnchanged: boolean;
}

const permission = 'calendar:read';
const kind = 'calendar_event';
// How long an event without a copy waits for a sync that may just have created it, and one of a series for the series.
const waitMaxMs = 600_000;
const pollMs = 3_000;
// More changes of an event than happen while it is written.
const writesMax = 3;

/** Writes an event, as it is now, to a connected calendar. */
export const pushEvent = (tools: Tools) =>
  job({
    ...pushEventJob,
    async run(context: Context) {
      const { payload, tx, outside, finish } = context;
      const begun = await beginRun(tx, payload);
      const sync = begun && connectorOf(begun.config.connectorKey).sync;
      if (!begun || !sync?.push) return;
      const { run, config, connection } = begun;
      const settings = config.settings as Record<string, unknown>;
      if (!sync.push.isWanted(settings)) return finish((inside) => cancelRun(inside.tx, begun));
      const requestId = `run_${tools.ids.encode('connector_run', run.tenantId, run.id)}`;
      const attempt = async () => {
        const acting = await outside(() => readActingUser(tools, config, { wanted: [permission], requestId }));
        if (!acting) return finish((inside) => endRun(inside, begun, 'not_permitted'));
        const as = limitedTo(permission, acting);
        const event = await outside(() => readEvent(tools, payload.calendarEventId, as));
        const place = placeOf(connection.id, sync, settings);
        // Before the link is read, which is there when the sync has ended.
        const isLinking = await isSyncing(tx, connection.id);
        const link = await linkOf(tx, place, kind, payload.calendarEventId);
        const seriesId = event?.recurringEventId ?? null;
        const series = seriesId === null ? null : await linkOf(tx, place, kind, seriesId);
        const due: DuePush = { ...begun, push: sync.push as Push, place, event, link, series };
        if (isEarly(due, isLinking)) return finish(async () => new Date(Date.now() + pollMs));
        const called = await callInTurn(context, tools, connection, ({ call }) => write(tools, due, { as, call }));
        if ('turnAt' in called) return finish(async () => called.turnAt);
        return finish((inside) => conclude(inside, tools, due, { called, as }));
      };
      // Another service of the platform is unreachable.
      await attempt().catch((error: unknown) => {
        if (!(error instanceof ServiceCallError) || !isTemporary(error)) throw error;
        return finish(async (inside) => {
          const locked = await lockRunning(inside.tx, begun);
          return locked && retryLater(inside, tools, locked, { error: 'platform_unavailable' });
        });
      });
    },
    giveUp: giveUpRun,
  });

async function readEvent({ crm }: Pick<Tools, 'crm'>, id: number, as: As): Promise<Event | undefined> {
  return orAbsent(crm.getCalendarEvent({ params: { id }, as })).catch((error: unknown) => {
    // The user may not read it any more, as if it were deleted.
    if (error instanceof ServiceCallError && error.status === 403) return undefined;
    throw error;
  });
}

/** Whether a sync is in progress, which links the events that it creates before it ends. */
async function isSyncing(tx: Tx, connectionId: number): Promise<boolean> {
  const [found] = await tx.sql`SELECT 1 FROM connector_run JOIN connector_config ON connector_config.id = config_id
    WHERE connection_id = ${connectionId} AND trigger <> 'event' AND status IN ('queued', 'running') LIMIT 1`;
  return found !== undefined;
}

/** Whether the copy of the event, or that of its series, may be on its way. */
function isEarly({ run, event, link, series }: DuePush, isLinking: boolean): boolean {
  if (!event || Date.now() - run.createdAt.getTime() > waitMaxMs) return false;
  return (event.recurringEventId !== null && !series) || (!link && isLinking);
}

/** Writes the event; again if it has changed meanwhile, because the job of that change may have been faster. */
async function write(
  tools: Pick<Tools, 'ids' | 'crm'>,
  due: DuePush,
  { as, call }: { as: As; call: Parameters<Push['put']>[0]['call'] },
): Promise<Pushed> {
  const { config, push, link } = due;
  const context = { call, settings: config.settings as Record<string, unknown> };
  let { event } = due;
  let copy: Copy | null = link && { externalId: link.externalId, version: link.version };
  for (let writes = 0; ; writes++) {
    // An event that is cancelled, but not an occurrence, which is cancelled in its series; or one that the user has left.
    if (!event || !isMember(event, as) || (event.status === 'cancelled' && event.recurringEventId === null)) {
      if (copy) await push.remove(context, copy);
      return { copy: null, event, isUnchanged: !copy };
    }
    const isSame = writes === 0 && link?.recordHash === hashOfEvent(event);
    // An occurrence of a series that is not in the connected calendar cannot be changed there.
    const isAlone = event.recurringEventId !== null && !due.series;
    if (isSame || isAlone) return { copy: null, event, isUnchanged: true };
    const written = await push.put(context, outgoing(tools, as, { event, series: due.series }), copy);
    const current = await readEvent(tools, event.id, as);
    if (writes + 1 === writesMax || (current && hashOfEvent(current) === hashOfEvent(event)))
      return { copy: written, event, isUnchanged: false };
    copy = { externalId: written.id, version: written.version };
    event = current;
  }
}

/** Whether the user organizes or attends the event. */
function isMember({ organizerId, attendees }: Event, { userId }: As): boolean {
  return organizerId === userId || attendees.some((attendee) => attendee.userId === userId);
}

function outgoing(
  { ids }: Pick<Tools, 'ids'>,
  { tenantId, userId }: As,
  { event, series }: { event: Event; series: LinkRow | null },
): OutgoingEvent {
  const { id, status, originalStartAt } = event;
  return {
    id: ids.encode(kind, tenantId as number, id),
    fields: fieldsOfEvent(event),
    status,
    // The copies of others would invite the guests again.
    attendees: event.organizerId === userId ? guestsOfEvent(event) : [],
    ...(series &&
      originalStartAt && {
        occurrence: { seriesId: series.externalId, originalStartAt: originalStartAt.toISOString() },
      }),
  };
}

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

async function conclude(
  inside: Inside,
  tools: Tools,
  due: DuePush,
  { called, as }: { called: Called<Pushed>; as: As },
): Promise<Date | undefined> {
  const { tx } = inside;
  const { connection, place, link } = due;
  await concludeAccess(inside, tools, connection, { called, as });
  const run = await lockRunning(tx, due);
  if (!run) return undefined;
  const { result, error, retryAt } = called;
  if (!result) return retryLater(inside, tools, run, { error: error ?? 'internal_error', retryAt });
  const { copy, event, isUnchanged } = result;
  const recordId = run.calendarEventId as number;
  if (copy && event) {
    await storeLink(tx, place, copy, { recordId, hash: hashOfRecord(copy), recordHash: hashOfEvent(event) });
  } else if (link && !isUnchanged) {
    // The copy was removed, so its link goes too: the connected calendar may still report the deletion.
    await tx.syncLink.deleteMany({ where: { ...place, kind, externalId: link.externalId } });
  }
  if (isUnchanged) return void (await succeedRun(inside, run, { ...noCounts, unchanged: 1 }));
  const externalId = copy?.id ?? link?.externalId ?? null;
  const action = copy ? 'sent' : 'deleted';
  await tx.connectorRunItem.createMany({
    data: [{ runId: run.id, direction: 'out', kind, externalId, recordId, action }],
  });
  return void (await succeedRun(inside, run, { ...noCounts, [action]: 1 }));
}
