// Runs CPU-heavy pure functions in worker threads or processes, with limits per task and a share per tenant.
export { TaskStuckError, TaskTooLongError } from './host.ts';
export type { Tasks } from './serve.ts';
export { createWorkers, type WorkerLimits, type Workers } from './workers.ts';
