import { randomUUID } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import {
  type EventData,
  type EventDef,
  type EventRecord,
  encodeOnce,
  idTypeOf,
  type ResourceType,
  unwrap,
} from '@tandem/contract';
import { childTrace, currentTrace } from '@tandem/process';
import { type Statement, statement } from '@tandem/tenant-db';
import { z } from 'zod';

/** What travels through RabbitMQ. Ids inside data and record are in the form of the inside (decimal strings). */
export interface EventMessage {
  id: string;
  name: string;
  tenantId: number;
  environment: 'live' | 'sandbox';
  occurredAt: string;
  /** What the audit log calls it, and the resource it happened to. */
  action: string;
  target: { type: ResourceType; id: number };
  /** Who did it. Permissions stay at home. */
  caller: Omit<Caller, 'permissions' | 'teamIds' | 'environment' | 'tenantId' | 'usage'>;
  traceparent?: string;
  data: unknown;
  record: unknown;
  /** Field → before and after, for the audit log. An id among them is a ChangedId. */
  changes?: Record<string, { from: unknown; to: unknown }>;
}

/** An id in `changes`, with its type: who shows them knows no contract and must not show the bare number. */
export interface ChangedId {
  $type: ResourceType;
  $id: number;
}

/** One thing that happened, as a handler says it. */
export interface Emission<E extends EventDef> {
  data: EventData<E>;
  record: EventRecord<E>;
  changes?: Record<string, { from: unknown; to: unknown }>;
}

export type Emit<E extends EventDef = EventDef> = <One extends E>(event: One, emission: Emission<One>) => void;

/** Whose events they are. */
export interface EventScope {
  tenantId: number;
  environment: 'live' | 'sandbox';
}

/**
 * Collects the events of one transaction. `emit` only remembers; `written` is the statement that puts them into the
 * outbox by the order of their emission, for the end of the transaction.
 */
export function emitter(caller: Caller, scope: EventScope | undefined) {
  const messages: EventMessage[] = [];
  const trace = currentTrace();
  const { permissions, teamIds, environment, tenantId, usage, ...who } = caller;

  const emit: Emit = (event, { data, record, changes }) => {
    if (!scope) throw new Error(`${event.name} needs a tenant`);
    messages.push({
      id: randomUUID(),
      name: event.name,
      ...{ tenantId: scope.tenantId, environment: scope.environment },
      occurredAt: new Date().toISOString(),
      action: event.action,
      target: { type: event.target, id: (record as { id: number }).id },
      caller: who,
      ...(trace && { traceparent: childTrace(trace) }),
      data: z.encode(event.data, data),
      record: encodeOnce(event.record, record),
      ...(changes && { changes: typed(event, changes) }),
    });
  };

  const written = (): Statement | undefined => {
    if (!messages.length) return undefined;
    const [ids, names] = [messages.map((m) => m.id), messages.map((m) => m.name)];
    // One parameter with a message on each line, as JSON has no line break: in an array each of its quotes is escaped by the
    // driver and read back by PostgreSQL.
    const lines = messages.map((m) => JSON.stringify(m)).join('\n');
    return statement`INSERT INTO platform.outbox (id, name, message)
      SELECT * FROM ROWS FROM (unnest(${ids}::uuid[]), unnest(${names}::text[]), string_to_table(${lines}, E'\n'))`;
  };

  return { emit, written, count: () => messages.length };
}

/** Says of each changed field that the record declares as an id, or as a list of them, which kind of id it is. */
function typed(event: EventDef, changes: NonNullable<EventMessage['changes']>): EventMessage['changes'] {
  const shape = (event.record as { shape?: Record<string, z.core.$ZodType> }).shape ?? {};
  return Object.fromEntries(
    Object.entries(changes).map(([field, { from, to }]) => {
      const schema = shape[field];
      const type =
        schema &&
        (idTypeOf(schema) ?? idTypeOf((unwrap(schema)._zod.def as { element?: z.core.$ZodType }).element ?? schema));
      return [field, type ? { from: withType(type, from), to: withType(type, to) } : { from, to }];
    }),
  );
}

function withType($type: ResourceType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withType($type, one));
  return typeof value === 'number' ? ({ $type, $id: value } satisfies ChangedId) : value;
}
