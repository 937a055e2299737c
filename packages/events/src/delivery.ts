import type { EventDef } from '@tandem/contract';
import type { ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import type { Received } from './consumer.ts';
import type { EventMessage } from './outbox.ts';

/** A message as the broker delivered it, and what it says. */
export interface Delivery {
  message: ConsumeMessage;
  event: EventMessage;
  received: Received<EventDef>;
}

/**
 * Reads a message by its contract; without contracts its data stays as it is.
 * @throws when it is no event, or not as its contract says
 */
export function readDelivery(message: ConsumeMessage, events: ReadonlyMap<string, EventDef> | undefined): Delivery {
  const event = JSON.parse(message.content.toString()) as EventMessage;
  if (!isEvent(event)) throw new Error('Not an event of this platform');
  if (!events)
    return { message, event, received: { ...event, occurredAt: new Date(event.occurredAt) } as Received<EventDef> };
  const def = events.get(event.name);
  if (!def) throw new Error(`No contract declares the event ${event.name}`);
  const received = {
    ...event,
    occurredAt: new Date(event.occurredAt),
    data: z.decode(def.data, event.data as never),
    record: z.decode(def.record, event.record as never),
  } as Received<EventDef>;
  return { message, event, received };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a message has what every consumer relies on: without it no attempt would ever succeed. */
function isEvent(given: Partial<EventMessage> | null): boolean {
  const { id, name, tenantId, environment, occurredAt, action, target, caller } = given ?? {};
  return (
    uuid.test(id ?? '') &&
    [name, action, target?.type, caller?.type, caller?.requestId].every((text) => typeof text === 'string') &&
    [tenantId, target?.id].every((number) => Number.isSafeInteger(number) && Number(number) > 0) &&
    (environment === 'live' || environment === 'sandbox') &&
    !Number.isNaN(Date.parse(occurredAt ?? ''))
  );
}
