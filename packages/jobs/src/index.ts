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
export { type Scheduler, type Scheduling, startJobs } from './run.ts';
