import { type engagement, engagementRecorded } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { asService, failField, toJsonColumn } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { asEvent } from './event.ts';

// Tolerance for wrong clocks. A day also covers wrong time zones.
const aheadMs = 24 * 3_600_000;
// An earlier time comes from a clock that is not set.
const earliest = new Date('2000-01-01T00:00:00Z');

export const recordEvent = (peers: Peers): Handler<typeof engagement.recordEvent> => ({
  async check({ body: { timestamp, leadId, insertId }, caller, tx }) {
    checkTime(timestamp);
    // A repeated request returns the first record, even if the lead was changed or deleted.
    const isRepeated = insertId ? (await tx.engagementEvent.count({ where: { insertId } })) > 0 : false;
    if (!isRepeated) await checkLead(peers, leadId, caller);
  },
  async run({ body, tx, emit, wasThere }) {
    const { eventType: type, timestamp, insertId, properties = {}, ...fields } = body;
    const first = insertId ? await lockAndFind(tx, insertId) : undefined;
    if (first) {
      wasThere();
      return asEvent(first);
    }
    const row = await tx.engagementEvent.create({
      data: {
        ...fields,
        type,
        timestamp: timestamp ?? new Date(),
        insertId: insertId ?? null,
        properties: toJsonColumn(properties),
      },
    });
    const event = asEvent(row);
    emit(engagementRecorded, { data: { eventId: event.id, type: event.type, leadId: event.leadId }, record: event });
    return event;
  },
});

function checkTime(timestamp: Date | null | undefined): void {
  if (!timestamp) return;
  if (timestamp < earliest) throw failField('timestamp', 'Must not be before the year 2000');
  if (timestamp.getTime() > Date.now() + aheadMs)
    throw failField('timestamp', 'Must be at most 24 hours in the future');
}

/** Fails unless the lead exists in the tenant and environment of the caller. */
async function checkLead({ crm }: Peers, leadId: number | null | undefined, caller: Caller): Promise<void> {
  if (leadId === null || leadId === undefined) return;
  const { ids } = await crm.filterLeads({ body: { ids: [leadId] }, as: asService(caller) });
  if (!ids.length) throw failField('leadId', unknownId('lead'));
}

/** Finds the record with this insertId. The lock makes concurrent requests with the same insertId wait. */
async function lockAndFind(tx: Tx, insertId: string) {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`event ${insertId}`},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
  return tx.engagementEvent.findFirst({ where: { insertId } });
}
