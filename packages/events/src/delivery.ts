import type { EventDef } from '@tandem/contract';
import type { ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import type { Received } from './consumer.ts';
import { UnreadableError } from './errors.ts';
import type { EventMessage } from './outbox.ts';

/** A message as the broker delivered it, and what it says. */
export interface Delivery {
  message: ConsumeMessage;
  event: EventMessage;
  received: Received<EventDef>;
}

/**
 * Reads a message by its contract; without contracts its data stays as it is. Data and record are decoded when a consumer
 * asks for them, as most ask for one of the two; either throws `UnreadableError` when it is not as its contract says.
 * @throws when it is no event, or one that no contract declares
 */
export function readDelivery(message: ConsumeMessage, events: ReadonlyMap<string, EventDef> | undefined): Delivery {
  const event = JSON.parse(message.content.toString()) as EventMessage;
  if (!isEvent(event)) throw new Error('Not an event of this platform');
  if (!events)
    return { message, event, received: { ...event, occurredAt: new Date(event.occurredAt) } as Received<EventDef> };
  const def = events.get(event.name);
  if (!def) throw new Error(`No contract declares the event ${event.name}`);
  const data = decodedOnce(def.data, event.data);
  const record = decodedOnce(def.record, event.record);
  const received = {
    ...event,
    occurredAt: new Date(event.occurredAt),
    get data() {
      return data();
    },
    get record() {
      return record();
    },
  } as Received<EventDef>;
  return { message, event, received };
}

function decodedOnce(schema: z.ZodType, given: unknown): () => unknown {
  let decoded: { value: unknown } | undefined;
  return () => {
    try {
      decoded ??= { value: z.decode(schema, completed(schema, given) as never) };
      return decoded.value;
    } catch (error) {
      throw new UnreadableError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
}

const mayBeNull = new WeakMap<z.ZodType, string[]>();

/**
 * What a field says that came with a later release than the event: nothing, where the contract has null for that. Such
 * events are under way at every update, and wait among dead letters.
 */
function completed(schema: z.ZodType, given: unknown): unknown {
  if (!(schema instanceof z.ZodObject) || typeof given !== 'object' || given === null) return given;
  const names = mayBeNull.get(schema) ?? nullable(schema);
  mayBeNull.set(schema, names);
  const missing = names.filter((name) => !(name in given));
  return missing.length ? { ...given, ...Object.fromEntries(missing.map((name) => [name, null])) } : given;
}

function nullable({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([name, field]) =>
    z.safeDecode(field as z.ZodType, null as never).success &&
    !z.safeDecode(field as z.ZodType, undefined as never).success
      ? [name]
      : [],
  );
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
