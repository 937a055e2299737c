import { id } from '@tandem/contract';
import { backgroundJobs } from '@tandem/service';
import { z } from 'zod';

export const predictionJobs = backgroundJobs('analytics');

/** The job that trains a version of a model. */
export const trainModelJob = {
  name: 'train-model',
  payload: z.object({ modelId: id('prediction_model'), jobId: id('job') }),
};
