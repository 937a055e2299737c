import { serveTasks } from '@tandem/workers/serve';
import { evaluateCohorts } from './features/cohorts/evaluate.ts';
import { evaluateFunnel } from './features/funnels/evaluate.ts';
import { trainModel } from './features/predictions/train.ts';

const tasks = { funnel: evaluateFunnel, cohorts: evaluateCohorts, train: trainModel };

export type EvaluationTasks = typeof tasks;

serveTasks(tasks);
