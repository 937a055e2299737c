import type { Caller } from '@tandem/caller';
import type { Statement } from '@tandem/tenant-db';
import type { Schedule } from './consumer.ts';
import type { Emit, EventScope } from './outbox.ts';

/** The events and jobs of one transaction. */
export interface Outgoing {
  emit: Emit;
  schedule: Schedule;
  /** The statement for the end of the transaction; undefined when there are no events and no jobs. */
  written(): Statement | undefined;
  /** Wakes relay and dispatcher after the commit, if there is something to do. */
  committed(): void;
}

/** Begins to collect the events and jobs of a transaction in this scope, on behalf of the caller. */
export type BeginOutgoing = (caller: Caller, scope: EventScope | undefined) => Outgoing;
