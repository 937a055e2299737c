import { randomUUID } from 'node:crypto';
import type { Caller } from '@tandem/caller';
import {
  type EventData,
  type EventDef,
  type EventRecord,
  encodeOnce,
  type IdPath,
  type ResourceType,
  walkIds,
} from '@tandem/contract';
import { currentTrace, traceparentOf } from '@tandem/process';
import { type Statement, statement } from '@tandem/tenant-db';
import { z } from 'zod';
import { schemaVersion } from './event-schema.ts';

/** The message of an event on RabbitMQ. Ids in data and record are decimal strings, as between services. */
export interface EventMessage {
  id: string;
  /**
   * Rises with each event of a record, and of the service. The relay adds it; absent in messages of earlier releases.
   */
  sequence?: number;
  name: string;
  /** Version of the contract under which data and record were written (`schemaVersion`). */
  schema?: string;
  tenantId: number;
  environment: 'live' | 'sandbox';
  occurredAt: string;
  /** The action in the audit log. */
  action: string;
  target: { type: ResourceType; id: number };
  /** The caller who caused the event, without permissions. */
  caller: Omit<Caller, 'permissions' | 'narrow' | 'teamIds' | 'environment' | 'tenantId' | 'usage'>;
  traceparent?: string;
  data: unknown;
  record: unknown;
  /** Field → before and after, for the audit log. */
  changes?: Record<string, { from: unknown; to: unknown }> | undefined;
  /**
   * Positions of ids in the values of `changes`, by the schema of the record: `['assignedTo']`, `['teamIds', '*']`. The
   * audit log knows no contract and must not show internal numbers. The paths are separate from the values because
   * customers choose the content of free-form values.
   */
  changedIds?: IdPath[];
  /** False excludes the event from the audit log. */
  audited?: false;
  /** The outcome in the audit log, if it is not `success`. */
  outcome?: 'failure' | 'refused';
}

/** The content of one event, as a handler emits it. */
export interface Emission<E extends EventDef> {
  data: EventData<E>;
  record: EventRecord<E>;
  changes?: Record<string, { from: unknown; to: unknown }>;
  /** When it happened, if that was before the transaction. */
  occurredAt?: Date;
}

export type Emit<E extends EventDef = EventDef> = <One extends E>(event: One, emission: Emission<One>) => void;

/** Tenant and environment of the events. */
export interface EventScope {
  tenantId: number;
  environment: 'live' | 'sandbox';
}

/**
 * Collects the events of one transaction. `emit` only remembers them; `written` returns the statement that inserts them
 * into the outbox in order, to be sent at the end of the transaction.
 */
export function emitter(caller: Caller, scope: EventScope | undefined) {
  const messages: EventMessage[] = [];
  const trace = currentTrace();
  const { permissions, narrow, teamIds, environment, tenantId, usage, ...actor } = caller;

  const emit: Emit = (event, { data, record, changes, occurredAt = new Date() }) => {
    if (!scope) throw new Error(`${event.name} requires a tenant`);
    messages.push({
      id: randomUUID(),
      name: event.name,
      schema: schemaVersion(event),
      tenantId: scope.tenantId,
      environment: scope.environment,
      occurredAt: occurredAt.toISOString(),
      action: event.action,
      target: { type: event.target, id: (record as { id: number }).id },
      caller: actor,
      ...(trace && { traceparent: traceparentOf(trace) }),
      data: z.encode(event.data, data),
      record: encodeOnce(event.record, record),
      ...(changes && { changes, changedIds: idsIn(event, changes) }),
      ...(event.audited === false && { audited: event.audited }),
      ...(event.outcome && { outcome: event.outcome }),
    });
  };

  const written = (): Statement | undefined => {
    if (!messages.length) return undefined;
    const [ids, names] = [messages.map((m) => m.id), messages.map((m) => m.name)];
    // One parameter with one message per line, as JSON has no line breaks; for an array the driver would escape every
    // quote.
    const lines = messages.map((m) => JSON.stringify(m)).join('\n');
    return statement`INSERT INTO platform.outbox (id, name, message)
      SELECT * FROM ROWS FROM (unnest(${ids}::uuid[]), unnest(${names}::text[]), string_to_table(${lines}, E'\n'))`;
  };

  return { emit, written, count: () => messages.length };
}

const idPaths = new WeakMap<EventDef, IdPath[]>();

/** The id positions of an event's record within the changed fields. */
function idsIn(event: EventDef, changes: object): IdPath[] {
  const paths = idPaths.get(event) ?? walkIds(event.record);
  idPaths.set(event, paths);
  return paths.filter(({ path: [field] }) => Object.hasOwn(changes, field as string));
}
