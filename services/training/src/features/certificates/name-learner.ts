import { id } from '@tandem/contract';
import { z } from 'zod';

/** The job that adds the name of the learner to a new certificate. */
export const nameLearnerJob = { name: 'name-learner', payload: z.object({ certificateId: id('certificate') }) };
