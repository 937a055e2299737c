import { ShareTimeoutError } from '@tandem/process';
import type { Order, Report } from './serve.ts';

/** A thread or process that runs tasks. It reports that it is ready, then one outcome per order. */
export interface Host {
  send(order: Order): void;
  onReport(listener: (report: Report) => void): void;
  /** Registers a listener for the end of the host. A host may report several reasons, of which the first one is the cause. */
  onEnd(listener: (reason: Error) => void): void;
  /** CPU time since the start, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Resident memory in megabytes; absent if the host ends at its memory limit by itself. */
  memoryMb?(): number;
  /** Whether a host that has run a task should run no further one. */
  isSpent?(): boolean;
  terminate(): Promise<void>;
}

/** A task exceeded its CPU time or memory. Its thread or process has ended. */
export class TaskTooLongError extends Error {}

/**
 * A task ran for its whole elapsed time without using up its CPU time: the machine is too busy, or the task waits for
 * something that does not come. A retry may succeed, but it must count as an attempt, unlike other waits for a share.
 */
export class TaskStuckError extends ShareTimeoutError {}
