import { type EngagementEvent, engagementRecorded } from '@tandem/analytics-contract';
import type { Emit } from '@tandem/events';
import type { JobScope, Schedule } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { addCounts, holdCounting } from '../counting/index.ts';
import { scheduleRetention } from '../retention/index.ts';
import { countEvents } from './count-events.ts';
import { asEvent } from './event.ts';
import { noteTouches } from './first-touch.ts';

/** An engagement event to store. */
export type NewEvent = Omit<Parameters<Tx['engagementEvent']['create']>[0]['data'], 'timestamp'> & { timestamp: Date };

/**
 * Stores engagement events, counts them and announces each. Events whose insertId is taken are left out; a request with the same
 * insertId that runs at the same time is waited for.
 * @param options.scope the tenant and environment of the events
 * @param options.isShared whether many transactions of the tenant store events at once, as requests do
 */
export async function storeEvents(
  { tx, emit, schedule }: { tx: Tx; emit: Emit; schedule: Schedule },
  events: readonly NewEvent[],
  { scope, isShared = false }: { scope: JobScope; isShared?: boolean },
): Promise<z.output<typeof EngagementEvent>[]> {
  if (!events.length) return [];
  await scheduleRetention({ tx, schedule }, scope);
  const counting = await holdCounting(tx);
  const owners = await ownersOf(tx, events);
  const rows = await tx.engagementEvent.createManyAndReturn({
    data: events.map((event) => ({ ...event, ...owners.get(Number(event.leadId)), isCounted: true })),
  });
  const records = rows.map(asEvent);
  for (const record of records)
    emit(engagementRecorded, { data: { eventId: record.id, type: record.type, leadId: record.leadId }, record });
  await noteTouches(tx, rows);
  await addCounts(tx, countEvents(rows, counting), { isShared });
  return records;
}

/** The assignees and teams of the leads. */
async function ownersOf(tx: Tx, events: readonly NewEvent[]) {
  const leadIds = [...new Set(events.flatMap(({ leadId }) => (leadId ? [Number(leadId)] : [])))];
  if (!leadIds.length) return new Map<number, { assignedTo: number | null; teamId: number | null }>();
  const leads = await tx.leadFact.findMany({
    where: { id: { in: leadIds } },
    select: { id: true, userId: true, teamId: true },
  });
  return new Map(leads.map(({ id, userId, teamId }) => [id, { assignedTo: userId, teamId }]));
}

/** The event that has an insertId. */
export async function findByInsertId(tx: Tx, insertId: string) {
  const key = await tx.engagementKey.findFirst({ where: { key: insertKey(insertId) } });
  if (!key) return undefined;
  const { eventId: id, timestamp } = key;
  const row = await tx.engagementEvent.findFirst({ where: { id, timestamp } });
  return row ? asEvent(row) : undefined;
}

/** The ids of the stored events with the insertIds of these. */
export async function idsByInsertId(
  tx: Tx,
  events: readonly { insertId?: string | null | undefined }[],
): Promise<Map<string, number>> {
  const keys = events.flatMap(({ insertId }) => (insertId ? [insertKey(insertId)] : []));
  if (!keys.length) return new Map();
  const rows = await tx.engagementKey.findMany({ where: { key: { in: keys } }, select: { key: true, eventId: true } });
  return new Map(rows.map(({ key, eventId }) => [key.slice(insertKey('').length), eventId]));
}

/** The key of an insertId, as the trigger writes it. */
function insertKey(insertId: string): string {
  return `insert ${insertId}`;
}
