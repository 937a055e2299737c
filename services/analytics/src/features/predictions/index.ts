import type { predictions } from '@tandem/analytics-contract';
import type { jobOperations } from '@tandem/contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getLeadPrediction } from './get-lead-prediction.ts';
import { listPredictionModels } from './list-prediction-models.ts';
import { scoreLeads } from './score-leads.ts';
import { trainPredictionModel } from './train-prediction-model.ts';
import { predictionJobs } from './training.ts';

export const predictionHandlers = (tools: Tools) =>
  ({
    getLeadPrediction: getLeadPrediction(tools),
    scoreLeads: scoreLeads(tools),
    listPredictionModels,
    trainPredictionModel,
    getJob: predictionJobs.getJob(),
  }) satisfies Handlers<typeof predictions & typeof jobOperations, Tx>;
