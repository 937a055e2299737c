import type { EventData, EventDef, EventRecord } from '@tandem/contract';
import type { z } from 'zod';
import type { Emit, EventMessage } from './outbox.ts';

/** An event as a consumer receives it, with data and record decoded. */
export type Received<E extends EventDef> = E extends EventDef
  ? Omit<EventMessage, 'data' | 'record' | 'name' | 'occurredAt'> & {
      name: E['name'];
      occurredAt: Date;
      data: EventData<E>;
      record: EventRecord<E>;
    }
  : never;

/** Schedules jobs in the current transaction; they exist once it commits. */
export type Schedule = <Payload extends z.ZodType>(
  job: { name: string; payload: Payload },
  payloads: z.output<Payload>[],
  dueAt?: Date,
) => Promise<void>;

/** The arguments of a consumer, inside one transaction of the event's tenant. */
export interface ConsumerContext<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
  /** Runs a task after the commit, for calls that must not happen inside a transaction. A failure is only logged. */
  afterCommit(task: () => void | Promise<void>): void;
}

/**
 * A consumer of events. All events of one call have the same tenant and environment, are new to this consumer, and are
 * in order of arrival, which may differ from the order of occurrence.
 */
export interface Consumer<E extends EventDef = EventDef, Tx = unknown> {
  /**
   * Name of the queue (after that of the service) and of the consumer's inbox entries. A renamed consumer is a new one:
   * it handles events again that it handled under the old name.
   */
  name: string;
  /**
   * The events that it handles. 'all' is for consumers that record everything, such as the audit log: data and record
   * keep their wire form.
   */
  on: readonly E[] | 'all';
  /**
   * Handles each event in live and in sandbox, in one transaction each. For events about users and teams, which both
   * environments share, if the consumer changes records of both.
   */
  everyEnvironment?: true;
  /**
   * Also receives events of tenants whose data is being removed or was removed. Such a consumer has no inbox, so it
   * must be idempotent. Other consumers acknowledge and drop these events, because handling them would write rows of
   * the tenant again.
   */
  ofRemovedTenants?: true;
  handle(events: Received<E>[], context: ConsumerContext<Tx>): Promise<void>;
}

/** Declares a consumer and infers its types. */
export function consumer<const E extends EventDef, Tx>(declared: Consumer<E, Tx>): Consumer<E, Tx> {
  return declared;
}
