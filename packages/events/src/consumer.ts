import type { EventData, EventDef, EventRecord } from '@tandem/contract';
import type { z } from 'zod';
import type { Emit, EventMessage } from './outbox.ts';

/** An event as a consumer gets it, with data and record in their inside form. */
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
  /** Queues work with the transaction. */
  schedule: Schedule;
  /** Runs after the commit, for what must not happen inside a transaction. */
  afterCommit(work: () => void | Promise<void>): void;
}

/**
 * What a service does when something happened elsewhere. All events of one call are of one tenant and environment, new
 * to this consumer, and in the order they arrived, which need not be the order they happened in.
 */
export interface Consumer<E extends EventDef = EventDef, Tx = unknown> {
  /** Names the queue, with the service in front. */
  name: string;
  /**
   * Which events; 'all' is for consumers that keep a record of everything, such as the audit log. Those know no
   * contract: their data and record stay as they travel.
   */
  on: readonly E[] | 'all';
  handle(events: Received<E>[], context: ConsumerContext<Tx>): Promise<void>;
}

/** Declares a consumer; only here for the types to meet. */
export function consumer<const E extends EventDef, Tx>(declared: Consumer<E, Tx>): Consumer<E, Tx> {
  return declared;
}
