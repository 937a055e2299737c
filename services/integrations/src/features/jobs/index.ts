import type { jobs } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getJob } from './get-job.ts';

export const jobHandlers = { getJob } satisfies Handlers<typeof jobs, Tx>;
