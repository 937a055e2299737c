import type { EventDef } from '@tandem/contract';
import { type ConsumerContext, consumer, PermanentError, type Received } from '@tandem/events';
import { catalogued, envelopeOf, matches, publicData } from '../../catalogue.ts';
import type { Tools, Tx } from '../../handler.ts';
import { deliverJob } from '../deliveries/delivery.ts';

const bodyMax = 65_536;

interface Subscription {
  id: number;
  events: string[];
  active: boolean;
}

/**
 * Stores every event of the catalogue as the body that customers get, with one delivery for each subscription that
 * covers it. A batch of one tenant is a handful of statements, however many events it holds.
 */
export const storeEvent = (tools: Tools) =>
  consumer({
    name: 'store-event',
    on: catalogued,
    async handle(events: Received<EventDef>[], { tx, schedule }: ConsumerContext<Tx>) {
      const stored = await store(tx, tools, events);
      const subscriptions: Subscription[] = await tx.webhook.findMany({
        where: { deletedAt: null },
        select: { id: true, events: true, active: true },
      });
      const wanted = stored.flatMap((event) =>
        subscriptions.filter((one) => matches(one.events, event.type)).map((one) => deliveryOf(event, one, tools)),
      );
      if (!wanted.length) return;
      const deliveries = await tx.delivery.createManyAndReturn({ data: wanted, select: { id: true, status: true } });
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
  const numbers = await nextIds(tx, events.length);
  const rows = events.map(({ name, tenantId, environment, occurredAt, data }, index) => {
    const id = numbers[index] as number;
    const code = ids.encode('event', tenantId, id);
    const envelope = envelopeOf({
      id: code,
      type: name,
      createdAt: occurredAt,
      data: publicData(name, data, { ids, tenantId }),
    });
    const body = Buffer.from(JSON.stringify(envelope));
    // The schemas of the catalogue allow less; one that allows more has to be changed, not cut off here.
    if (body.length > bodyMax)
      throw new PermanentError(`The body of ${name} has ${body.length} bytes, more than ${bodyMax}`);
    return { id, environment, type: name, body, createdAt: occurredAt };
  });
  await tx.event.createMany({ data: rows });
  return rows;
}

/**
 * Takes the ids before the rows, since the body holds its own. Under a lock of the tenant until the commit: ids then
 * appear in their order, so that who polls by the last id seen misses none.
 */
async function nextIds(tx: Tx, count: number): Promise<number[]> {
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
    // What an inactive webhook misses is kept: it can be recovered.
    ...(active ? { status: 'pending', nextAttemptAt: now } : { status: 'skipped', completedAt: now }),
  };
}
