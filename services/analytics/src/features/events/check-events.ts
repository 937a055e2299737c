import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { idsByInsertId } from './store-events.ts';

// Tolerance for wrong clocks. A day also covers wrong time zones.
const aheadMs = 24 * 3_600_000;
// An earlier time comes from a clock that is not set.
const earliest = new Date('2000-01-01T00:00:00Z');

/** What is checked of an event that a client sends. */
interface SentEvent {
  timestamp?: Date | null | undefined;
  leadId?: number | null | undefined;
  insertId?: string | null | undefined;
}

/** An event of a request that cannot be stored, and why. */
export interface RefusedEvent {
  index: number;
  errors: { field: string; message: string }[];
}

/**
 * Finds the events that cannot be stored: those with a time out of range, or with a lead that does not exist in the tenant and
 * environment of the caller. The lead of an event that is stored already is not checked, because it may be deleted since.
 */
export async function checkEvents(
  peers: Peers,
  events: readonly SentEvent[],
  { caller, tx }: { caller: Caller; tx: Tx },
): Promise<RefusedEvent[]> {
  const stored = await idsByInsertId(tx, events);
  const isStored = ({ insertId }: SentEvent) => Boolean(insertId) && stored.has(insertId as string);
  const leadIds = events.flatMap((event) => (event.leadId && !isStored(event) ? [event.leadId] : []));
  const known = await knownLeads(peers, [...new Set(leadIds)], caller);
  return events.flatMap((event, index) => {
    const errors = timeErrors(event.timestamp);
    if (event.leadId && !isStored(event) && !known.has(event.leadId))
      errors.push({ field: 'leadId', message: unknownId('lead') });
    return errors.length ? [{ index, errors }] : [];
  });
}

function timeErrors(timestamp: Date | null | undefined): { field: string; message: string }[] {
  if (!timestamp) return [];
  if (timestamp < earliest) return [{ field: 'timestamp', message: 'Must not be before the year 2000' }];
  if (timestamp.getTime() > Date.now() + aheadMs)
    return [{ field: 'timestamp', message: 'Must be at most 24 hours in the future' }];
  return [];
}

async function knownLeads({ crm }: Peers, ids: number[], caller: Caller): Promise<Set<number>> {
  if (!ids.length) return new Set();
  const found = await crm.filterLeads({ body: { ids }, as: asService(caller) });
  return new Set(found.ids);
}
