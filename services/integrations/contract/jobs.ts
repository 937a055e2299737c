import { jobOperations } from '@tandem/contract';

export { BackgroundJob } from '@tandem/contract';

/** Recoveries of webhooks are the background jobs of this service. */
export const jobs = jobOperations;
