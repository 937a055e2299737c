import type { Caller } from '@tandem/caller';
import type { Statement } from '@tandem/tenant-db';
import type { Schedule } from './consumer.ts';
import type { Emit, EventScope } from './outbox.ts';

/** What one transaction leaves to be done: the events and jobs that are written with it. */
export interface Outgoing {
  emit: Emit;
  schedule: Schedule;
  /** The statement for the end of the transaction; undefined when nothing happened in it. */
  written(): Statement | undefined;
  /** Says after the commit that there is something to do; nobody is woken for nothing. */
  committed(): void;
}

/** Begins to collect what a transaction of this scope leaves, in the caller's name. */
export type BeginOutgoing = (caller: Caller, scope: EventScope | undefined) => Outgoing;
