// The worker side. It has no dependencies, so that a thread loads little besides its tasks.
import { parentPort } from 'node:worker_threads';

/** Pure functions by name, which may return a promise. Input and result are copied between threads (structured clone). */
export type Tasks = Record<string, (input: never) => unknown>;

/** A task for a thread to run. */
export interface Order {
  name: string;
  input: unknown;
}

/** Messages from a thread: ready once its tasks are loaded, then one outcome per order. */
export type Report = { ready: true } | { ready?: never; result: unknown } | { ready?: never; error: string };

/**
 * Serves tasks from a worker thread. Call it last in the thread's module: anything before it counts as startup, not
 * toward the time limit of a task.
 */
export function serveTasks(tasks: Tasks): void {
  const report = (message: Report) => parentPort?.postMessage(message);
  parentPort?.on('message', async ({ name, input }: Order) => {
    try {
      report({ result: await (tasks[name] as (input: unknown) => unknown)(input) });
    } catch (error) {
      report({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  report({ ready: true });
}
