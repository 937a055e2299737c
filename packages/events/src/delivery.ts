import type { EventDef } from '@tandem/contract';
import type { ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import type { Received } from './consumer.ts';
import { OtherReleaseError, UnreadableError } from './errors.ts';
import { schemaVersion } from './event-schema.ts';
import type { EventMessage } from './outbox.ts';

/** A message from the broker, with the event in its wire form and in the form that consumers receive. */
export interface Delivery {
  message: ConsumeMessage;
  event: EventMessage;
  received: Received<EventDef>;
}

/**
 * Reads a message. Data and record are decoded on first access, because most consumers need only one of them; the access
 * throws `UnreadableError` or `OtherReleaseError` when they do not match the contract.
 * @param known the events of the consumer by name; without it data and record keep their wire form
 * @throws UnreadableError when the message is not an event
 * @throws OtherReleaseError when the consumer of this release does not know the event
 */
export function readDelivery(message: ConsumeMessage, known: ReadonlyMap<string, EventDef> | undefined): Delivery {
  const event = parseEvent(message.content);
  const occurredAt = new Date(event.occurredAt);
  if (!known) return { message, event, received: { ...event, occurredAt } as Received<EventDef> };
  const def = known.get(event.name);
  if (!def) throw new OtherReleaseError('unknown_event', `This release does not consume ${event.name}`);
  const data = decodeOnce(def, event, 'data');
  const record = decodeOnce(def, event, 'record');
  const received = {
    ...event,
    occurredAt,
    get data() {
      return data();
    },
    get record() {
      return record();
    },
  } as Received<EventDef>;
  return { message, event, received };
}

function parseEvent(content: Buffer): EventMessage {
  let value: unknown;
  try {
    value = JSON.parse(content.toString());
  } catch (error) {
    throw new UnreadableError('The message is not JSON', { cause: error });
  }
  if (!isEvent(value as Partial<EventMessage> | null)) throw new UnreadableError('The message is not an event');
  return value as EventMessage;
}

function decodeOnce(def: EventDef, event: EventMessage, part: 'data' | 'record'): () => unknown {
  let decoded: { value: unknown } | undefined;
  return () => {
    try {
      decoded ??= { value: z.decode(def[part], withMissingFields(def, part, event[part])) };
      return decoded.value;
    } catch (error) {
      throw decodeError(def, event, error);
    }
  };
}

/** Unreadable when written under this contract; otherwise the release that wrote the event can read it. */
function decodeError(def: EventDef, { schema }: EventMessage, error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  // Events of releases that did not send a version are checked against this contract.
  if (schema === undefined || schema === schemaVersion(def)) return new UnreadableError(text, { cause: error });
  return new OtherReleaseError(
    'unknown_contract',
    `${def.name} was written by a release with another contract: ${text}`,
    {
      cause: error,
    },
  );
}

const nullableFields = new WeakMap<z.ZodType, string[]>();

/**
 * Adds the fields that an event of an earlier release lacks: the value declared in `whenMissing`, else null if the
 * field is nullable.
 */
function withMissingFields(def: EventDef, part: 'data' | 'record', value: unknown): unknown {
  const schema = def[part];
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const names = nullableFields.get(schema) ?? findNullableFields(schema);
  nullableFields.set(schema, names);
  const missing = names.filter((name) => !(name in value));
  const declared = def.whenMissing?.[part];
  if (!missing.length && !declared) return value;
  return { ...Object.fromEntries(missing.map((name) => [name, null])), ...declared, ...value };
}

function findNullableFields({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([name, field]) =>
    z.safeDecode(field as z.ZodType, null).success && !z.safeDecode(field as z.ZodType, undefined).success
      ? [name]
      : [],
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a message has the fields that every consumer relies on. */
function isEvent(message: Partial<EventMessage> | null): boolean {
  const { id, name, tenantId, environment, occurredAt, action, target, caller } = message ?? {};
  return (
    uuid.test(id ?? '') &&
    [name, action, target?.type, caller?.type, caller?.requestId].every((text) => typeof text === 'string') &&
    [tenantId, target?.id].every((number) => Number.isSafeInteger(number) && Number(number) > 0) &&
    (environment === 'live' || environment === 'sandbox') &&
    !Number.isNaN(Date.parse(occurredAt ?? ''))
  );
}
