// The thread's side. It has no dependencies, so that a thread loads little besides its tasks.
import { parentPort } from 'node:worker_threads';

/** Pure functions by name. Input and result are copied between threads (structured clone). */
export type Tasks = Record<string, (input: never) => unknown>;

/** A task that a thread is to run. */
export interface Order {
  name: string;
  input: unknown;
}

/** A thread's messages: that it has loaded its tasks, and then one outcome for each order. */
export type Report = { ready: true } | { ready?: never; result: unknown } | { ready?: never; error: string };

/**
 * Serves tasks from a worker thread. Call it last in the thread's module: what the module does before is the thread's
 * start, which no task's time limit includes.
 */
export function serveTasks(tasks: Tasks): void {
  const report = (message: Report) => parentPort?.postMessage(message);
  parentPort?.on('message', ({ name, input }: Order) => {
    try {
      report({ result: (tasks[name] as (given: unknown) => unknown)(input) });
    } catch (error) {
      report({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  report({ ready: true });
}
