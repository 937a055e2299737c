import type { EventDef } from '@tandem/contract';
import { type ConsumerContext, consumer, PermanentError, type Received } from '@tandem/events';
import { catalogued, envelopeOf, matches, publicData } from '../../catalogue.ts';
import type { Tools, Tx } from '../../handler.ts';
import { scheduleActions } from '../connector-configs/act-on-event.ts';
import { deliverJob } from '../deliveries/delivery.ts';
import { applyFilter, type FilterResult } from '../webhooks/filter.ts';

const bodyMax = 65_536;

interface Subscription {
  id: number;
  events: string[];
  active: boolean;
  filter: unknown;
}

/**
 * Stores each catalogue event as the body sent to customers, with one delivery for each matching subscription, and
 * schedules what configs of connectors do with it. A batch of one tenant takes a fixed number of statements.
 */
export const storeEvent = (tools: Tools) =>
  consumer({
    name: 'store-event',
    on: catalogued,
    async handle(events: Received<EventDef>[], { tx, schedule }: ConsumerContext<Tx>) {
      const stored = await store(tx, tools, events);
      await scheduleActions({ tx, schedule }, stored);
      const subscriptions: Subscription[] = await tx.webhook.findMany({
        where: { deletedAt: null },
        select: { id: true, events: true, active: true, filter: true },
      });
      const newDeliveries = stored.flatMap((event) =>
        subscriptions.flatMap((one) => {
          const result = matches(one.events, event.type) ? applyFilter(one.filter, event.envelope) : 'no_match';
          return result === 'no_match' ? [] : [deliveryOf(event, one, { result, tools })];
        }),
      );
      if (!newDeliveries.length) return;
      const deliveries = await tx.delivery.createManyAndReturn({
        data: newDeliveries,
        select: { id: true, status: true },
      });
      const due = deliveries.filter(({ status }) => status === 'pending');
      if (due.length)
        await schedule(
          deliverJob,
          due.map(({ id }) => ({ deliveryId: id, round: 0, trigger: 'scheduled' as const })),
        );
    },
  });

interface StoredEvent {
  id: number;
  environment: string;
  type: string;
  envelope: object;
}

async function store(tx: Tx, { ids }: Tools, events: Received<EventDef>[]): Promise<StoredEvent[]> {
  const eventIds = await reserveIds(tx, events.length);
  const rows = events.map(({ name, tenantId, environment, occurredAt, data, sequence }, index) => {
    const id = eventIds[index] as number;
    const code = ids.encode('event', tenantId, id);
    const envelope = envelopeOf({
      id: code,
      type: name,
      createdAt: occurredAt,
      data: { ...publicData(name, data, { ids, tenantId }), ...(sequence !== undefined && { sequence }) },
    });
    const body = Buffer.from(JSON.stringify(envelope));
    // Schemas of the catalogue must stay below this limit; bodies are not truncated.
    if (body.length > bodyMax)
      throw new PermanentError(`The body of ${name} has ${body.length} bytes and exceeds the limit of ${bodyMax}`);
    return { id, environment, type: name, body, envelope, createdAt: occurredAt };
  });
  await tx.event.createMany({ data: rows.map(({ envelope: _, ...row }) => row) });
  return rows;
}

/**
 * Reserves ids before the insert, because each body contains its own id. A tenant lock until the commit makes ids
 * visible in order, so that a client that polls by the last id misses no event.
 */
async function reserveIds(tx: Tx, count: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(
      hashtextextended('stored events', platform.tenant_id() * 2 + (platform.environment() = 'live')::int)))
    SELECT nextval('event_id_seq') AS id FROM turn, generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => id);
}

/**
 * The delivery of an event. It is stored as skipped for an inactive webhook, and for one whose filter failed, so that it is
 * visible and can be recovered.
 */
function deliveryOf(
  event: StoredEvent,
  { id: webhookId, active }: Subscription,
  { result, tools: { schedules } }: { result: FilterResult; tools: Tools },
) {
  const now = new Date();
  return {
    webhookId,
    eventId: event.id,
    event: event.type,
    maxAttempts: schedules.attempts(event.environment),
    lastError: result === 'error' ? 'filter_error' : null,
    ...(active && result === 'match'
      ? { status: 'pending', nextAttemptAt: now }
      : { status: 'skipped', completedAt: now }),
  };
}
