// Runs CPU-heavy pure functions in worker threads, with a CPU time limit per task and a share per tenant.
export type { Tasks } from './serve.ts';
export { TaskTooLongError } from './thread.ts';
export { createWorkers, type WorkerLimits, type Workers } from './workers.ts';
