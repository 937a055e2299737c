import { type engagement, engagementRecorded } from '@tandem/analytics-contract';
import { failField } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asEvent } from './event.ts';

// Clocks of senders go wrong; a day covers zones that were mistaken for another.
const aheadMs = 24 * 3_600_000;

export const recordEvent: Handler<typeof engagement.recordEvent> = async ({ body, tx, emit, wasThere }) => {
  const { eventType: type, timestamp, insertId, properties = {}, ...given } = body;
  const now = new Date();
  if (timestamp && timestamp.getTime() > now.getTime() + aheadMs)
    throw failField('timestamp', 'Must be at most 24 hours in the future');
  const first = insertId ? await claimed(tx, insertId) : undefined;
  if (first) {
    wasThere();
    return asEvent(first);
  }
  const row = await tx.engagementEvent.create({
    data: { ...given, type, timestamp: timestamp ?? now, insertId: insertId ?? null, properties: properties as object },
  });
  const event = asEvent(row);
  emit(engagementRecorded, { data: { eventId: event.id, type: event.type, leadId: event.leadId }, record: event });
  return event;
};

/** The record with this insertId; whoever sends the same one meanwhile waits, and finds it. */
async function claimed(tx: Tx, insertId: string) {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`event ${insertId}`},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  return tx.engagementEvent.findFirst({ where: { insertId } });
}
