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
  caller: Omit<Caller, 'permissions' | 'narrow' | 'teamIds' | 'environment' | 'tenantId' | 'usage'>;
  traceparent?: string;
  data: unknown;
  record: unknown;
  /** Field → before and after, for the audit log. */
  changes?: Record<string, { from: unknown; to: unknown }> | undefined;
  /**
   * Where ids are in the values of `changes`, by the schema of the record: `['assignedTo']`, `['teamIds', '*']`. The audit
   * log knows no contract and must not show internal numbers. The paths are kept apart from the values because customers
   * choose what free-form values contain.
   */
  changedIds?: IdPath[];
  /** False: no entry of the audit log. */
  audited?: false;
  /** The outcome in the audit log when it is not `success`. */
  outcome?: 'failure';
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
  const { permissions, narrow, teamIds, environment, tenantId, usage, ...who } = caller;

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
    // One parameter with a message on each line, as JSON has no line break: in an array each of its quotes is escaped by the
    // driver and read back by PostgreSQL.
    const lines = messages.map((m) => JSON.stringify(m)).join('\n');
    return statement`INSERT INTO platform.outbox (id, name, message)
      SELECT * FROM ROWS FROM (unnest(${ids}::uuid[]), unnest(${names}::text[]), string_to_table(${lines}, E'\n'))`;
  };

  return { emit, written, count: () => messages.length };
}

const idPaths = new WeakMap<EventDef, IdPath[]>();

/** The id positions of an event's record that lie in changed fields. */
function idsIn(event: EventDef, changes: object): IdPath[] {
  const paths = idPaths.get(event) ?? walkIds(event.record);
  idPaths.set(event, paths);
  return paths.filter(({ path: [field] }) => Object.hasOwn(changes, field as string));
}
