import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import { connectorOf } from '../../connectors/index.ts';
import type { CalendarFields, Copy, OutgoingEvent, Sync } from '../../connectors/sync.ts';
import type { ConnectorConfig as ConfigRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import type { ConnectionRow } from '../connections/connection.ts';
import { retryLater } from '../connector-runs/retry-later.ts';
import { failRun, noCounts, type RunOfConfig, succeedRun, withConfig } from '../connector-runs/run.ts';
import { type As, readActingUser } from './acting-user.ts';
import { hashOf, hashOfRecord, type LinkRow, linkOf } from './link.ts';
import { pushEventJob } from './push-event.ts';
import { type Called, callSystem } from './read-page.ts';
import { limitedTo } from './writing.ts';

type Payload = z.output<typeof pushEventJob.payload>;
type Context = JobContext<Payload, Tx>;
type Event = NonNullable<Awaited<ReturnType<typeof readEvent>>>;
type Written = Awaited<ReturnType<NonNullable<Sync['push']>['put']>>;

interface Due {
  run: RunOfConfig;
  config: ConfigRow;
  connection: ConnectionRow;
  push: NonNullable<Sync['push']>;
  link: LinkRow | null;
}

/** What was done in the connected calendar. */
interface Pushed {
  /** The copy; null if it was removed, or if there is nothing to do. */
  copy: Written | null;
  event: Event | undefined;
  isUnchanged: boolean;
}

const permission = 'calendar:read';
const seriesWaitMs = 120_000;
const seriesPollMs = 5_000;

/** Writes an event, as it is now, to a connected calendar. */
export const pushEvent = (tools: Tools) =>
  job({
    ...pushEventJob,
    async run({ payload, tx, outside, finish }: Context) {
      const due = await readDue(tx, payload);
      if (!due) return;
      const { run, config, connection } = due;
      const requestId = `run_${tools.ids.encode('connector_run', run.tenantId, run.id)}`;
      const acting = await outside(() => readActingUser(tools, config, { wanted: [permission], requestId }));
      if (!acting) return finish(({ tx: inside, emit }) => failRun({ tx: inside, emit }, run, 'not_permitted'));
      const as = limitedTo(permission, acting);
      const event = await outside(() => readEvent(tools, payload.calendarEventId, as));
      const series = event?.recurringEventId
        ? await linkOf(tx, connection.id, 'calendar_event', event.recurringEventId)
        : null;
      // The series may be on its way.
      if (event?.recurringEventId && !series && Date.now() - run.createdAt.getTime() < seriesWaitMs)
        return finish(async () => new Date(Date.now() + seriesPollMs));
      const target = { tenant: String(config.tenantId), endpoint: `connection ${connection.id}`, isSuspect: false };
      const slot = await outside(() => tools.queue.acquire(target));
      if ('retryAt' in slot) return finish(async () => slot.retryAt);
      const startMs = performance.now();
      const called = await outside(() =>
        callSystem(tx, tools, connection, ({ call }) => write(tools, due, { event, series, call })),
      ).finally(() => slot.release(performance.now() - startMs));
      await finish((inside) => conclude(inside, tools, due, { called, as }));
    },
    async giveUp({ tx, emit, payload }: GiveUpContext<Payload, Tx>) {
      const where = { id: payload.runId, round: payload.round };
      const run = await tx.connectorRun.findFirst({ where, include: withConfig });
      if (run) await failRun({ tx, emit }, run, 'internal_error');
    },
  });

async function readDue(tx: Tx, { runId, round, calendarEventId }: Payload): Promise<Due | undefined> {
  const run = await tx.connectorRun.findFirst({ where: { id: runId, round }, include: withConfig });
  const config = run && (await tx.connectorConfig.findFirst({ where: { id: run.configId, active: true } }));
  const connection = config && (await tx.connection.findFirst({ where: { id: config.connectionId, deletedAt: null } }));
  const push = config && connectorOf(config.connectorKey).sync?.push;
  if (!run || !config || !connection || !push) return undefined;
  return { run, config, connection, push, link: await linkOf(tx, connection.id, 'calendar_event', calendarEventId) };
}

async function readEvent({ crm }: Pick<Tools, 'crm'>, id: number, as: As) {
  return orAbsent(crm.getCalendarEvent({ params: { id }, as })).catch((error: unknown) => {
    // The user may not read it any more, as if it were deleted.
    if (error instanceof ServiceCallError && error.status === 403) return undefined;
    throw error;
  });
}

async function write(
  { ids }: Pick<Tools, 'ids'>,
  { run, config, push, link }: Due,
  {
    event,
    series,
    call,
  }: { event: Event | undefined; series: LinkRow | null; call: Parameters<typeof push.put>[0]['call'] },
): Promise<Pushed> {
  const context = { call, settings: config.settings as Record<string, unknown> };
  const copy: Copy | null = link && { externalId: link.externalId, version: link.version };
  const isGone = !event || (event.status === 'cancelled' && !event.recurringEventId);
  if (isGone) {
    if (copy) await push.remove(context, copy);
    return { copy: null, event, isUnchanged: !copy };
  }
  const fields = fieldsOf(event);
  if (link && event.status !== 'cancelled' && link.hash === hashOf([fields, false]))
    return { copy: null, event, isUnchanged: true };
  // An occurrence of a series that is not in the connected calendar cannot be changed there.
  if (event.recurringEventId && !series) return { copy: null, event, isUnchanged: true };
  const outgoing: OutgoingEvent = {
    id: ids.encode('calendar_event', run.tenantId, event.id),
    fields,
    status: event.status,
    attendees: event.attendees.flatMap(({ email, name }) => (email === null ? [] : [{ email, name }])),
    ...(series &&
      event.originalStartAt && {
        occurrence: { seriesId: series.externalId, originalStartAt: event.originalStartAt.toISOString() },
      }),
  };
  return { copy: await push.put(context, outgoing, copy), event, isUnchanged: false };
}

/** The fields of an event in the form of connected calendars. */
function fieldsOf(event: Event): CalendarFields {
  const { title, description, timezone, allDay, location, joinUrl, visibility, recurrence } = event;
  const times = { startAt: event.startAt.toISOString(), endAt: event.endAt.toISOString() };
  return { title, description, ...times, timezone, allDay, location, joinUrl, visibility, recurrence };
}

type Inside = Parameters<Parameters<Context['finish']>[0]>[0];

async function conclude(
  inside: Inside,
  tools: Tools,
  { run: before, connection, link }: Due,
  { called, as }: { called: Called<Pushed>; as: As },
): Promise<Date | undefined> {
  const { tx } = inside;
  await concludeAccess(inside, tools, connection, { called, as });
  const row = await tx.connectorRun.lockFirst({ where: { id: before.id, round: before.round } });
  if (!row) return undefined;
  const run = { ...before, ...row } as RunOfConfig;
  const { result, error, retryAt } = called;
  if (!result) return retryLater(inside, tools, run, { error: error ?? 'internal_error', retryAt });
  const { copy, event, isUnchanged } = result;
  const recordId = run.calendarEventId as number;
  const now = new Date();
  if (copy) {
    const key = { connectionId: connection.id, kind: 'calendar_event', externalId: copy.id };
    const stored = await tx.syncLink.lockFirst({ where: key });
    // A job that read a later state has already written it, so this one has to write the current state again.
    if (stored?.recordVersion && event && stored.recordVersion > event.version) return now;
    const data = {
      ...{ recordId, hash: hashOfRecord(copy), version: copy.version.slice(0, 255) },
      ...{ recordVersion: event?.version ?? null, seenAt: now, updatedAt: now },
    };
    if (stored) await tx.syncLink.updateMany({ where: key, data });
    else await tx.syncLink.createMany({ data: [{ ...key, ...data }], skipDuplicates: true });
  }
  // What has no copy any more is not linked: the connected calendar may still report the deletion.
  else if (link && !isUnchanged) {
    const { connectionId, kind, externalId } = link;
    await tx.syncLink.deleteMany({ where: { connectionId, kind, externalId } });
  }
  if (!isUnchanged) {
    const externalId = copy?.id ?? link?.externalId ?? null;
    const action = copy ? 'sent' : 'deleted';
    await tx.connectorRunItem.createMany({
      data: [{ runId: run.id, direction: 'out', kind: 'calendar_event', externalId, recordId, action, createdAt: now }],
    });
  }
  const counts = isUnchanged ? { unchanged: 1 } : copy ? { sent: 1 } : { deleted: 1 };
  return void (await succeedRun(inside, run, { ...noCounts, ...counts }));
}
