// Runs work when it is due, once in effect: rows in Postgres say what, BullMQ runs it.
export {
  type BatchContext,
  batchJob,
  type GiveUpContext,
  type Job,
  type JobContext,
  job,
  type Schedule,
} from './job.ts';
export type { Scheduling } from './scheduling.ts';
export { type Scheduler, startJobs } from './start-jobs.ts';
