// Runs scheduled work, with effects applied once: rows in PostgreSQL are the source of truth, BullMQ executes them.
export {
  type BatchContext,
  batchJob,
  type GiveUpContext,
  type Inside,
  type Job,
  type JobActor,
  type JobContext,
  type JobScope,
  job,
  type Schedule,
  scheduleAgain,
} from './job.ts';
export { resumeRows } from './job-rows.ts';
export { nextNightAt } from './nightly.ts';
export type { Scheduling } from './scheduling.ts';
export { type Scheduler, startJobs } from './start-jobs.ts';
