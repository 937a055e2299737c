// Runs CPU-heavy pure functions in worker threads: each task has a limit of processor time, each tenant a share.
export type { Tasks } from './serve.ts';
export { TaskTooLong } from './thread.ts';
export { createWorkers, type WorkerLimits, type Workers } from './workers.ts';
