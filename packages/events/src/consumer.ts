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

/** Queues jobs in the running transaction; they exist when it commits. */
export type Schedule = <Payload extends z.ZodType>(
  job: { name: string; payload: Payload },
  payloads: z.output<Payload>[],
  dueAt?: Date,
) => Promise<void>;

/** What a consumer works with, inside one transaction of the event's tenant. */
export interface ConsumerContext<Tx> {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
  /** Runs a task after the commit, for calls that must not happen inside a transaction. A failure is only logged. */
  afterCommit(task: () => void | Promise<void>): void;
}

/**
 * How a service reacts to events. All events of one call are of one tenant and environment, new to this consumer, and in
 * order of arrival, which may differ from the order of occurrence.
 */
export interface Consumer<E extends EventDef = EventDef, Tx = unknown> {
  /**
   * Name of the queue (after that of the service) and of the consumer's entries in the inbox. A renamed consumer is a new one:
   * it handles events that the old one has handled before.
   */
  name: string;
  /**
   * The events it reacts to. 'all' is for consumers that record everything, such as the audit log: data and record keep
   * their wire form.
   */
  on: readonly E[] | 'all';
  handle(events: Received<E>[], context: ConsumerContext<Tx>): Promise<void>;
}

/** Declares a consumer and infers its types. */
export function consumer<const E extends EventDef, Tx>(declared: Consumer<E, Tx>): Consumer<E, Tx> {
  return declared;
}
