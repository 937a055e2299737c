import type { EventDef } from '@tandem/contract';
import { type ConsumerContext, consumer, PermanentError, type Received } from '@tandem/events';
import { catalogued, envelopeOf, matches, publicData } from '../../catalogue.ts';
import type { Tools, Tx } from '../../handler.ts';
import { scheduleActions } from '../connector-configs/act-on-event.ts';
import { deliverJob } from '../deliveries/delivery.ts';

const bodyMax = 65_536;

interface Subscription {
  id: number;
  events: string[];
  active: boolean;
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
        select: { id: true, events: true, active: true },
      });
      const newDeliveries = stored.flatMap((event) =>
        subscriptions.filter((one) => matches(one.events, event.type)).map((one) => deliveryOf(event, one, tools)),
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
}

async function store(tx: Tx, { ids }: Tools, events: Received<EventDef>[]): Promise<StoredEvent[]> {
  const eventIds = await reserveIds(tx, events.length);
  const rows = events.map(({ name, tenantId, environment, occurredAt, data }, index) => {
    const id = eventIds[index] as number;
    const code = ids.encode('event', tenantId, id);
    const envelope = envelopeOf({
      id: code,
      type: name,
      createdAt: occurredAt,
      data: publicData(name, data, { ids, tenantId }),
    });
    const body = Buffer.from(JSON.stringify(envelope));
    // Schemas of the catalogue must stay below this limit; bodies are not truncated.
    if (body.length > bodyMax)
      throw new PermanentError(`The body of ${name} has ${body.length} bytes and exceeds the limit of ${bodyMax}`);
    return { id, environment, type: name, body, createdAt: occurredAt };
  });
  await tx.event.createMany({ data: rows });
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

function deliveryOf(event: StoredEvent, { id: webhookId, active }: Subscription, { schedules }: Tools) {
  const now = new Date();
  return {
    webhookId,
    eventId: event.id,
    event: event.type,
    maxAttempts: schedules.attempts(event.environment),
    // Deliveries of an inactive webhook are stored as skipped, so that they can be recovered.
    ...(active ? { status: 'pending', nextAttemptAt: now } : { status: 'skipped', completedAt: now }),
  };
}
