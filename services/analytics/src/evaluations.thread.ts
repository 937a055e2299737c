import { serveTasks } from '@tandem/workers/serve';
import { evaluateCohorts } from './features/cohorts/evaluate.ts';
import { evaluateFunnel } from './features/funnels/evaluate.ts';

const tasks = { funnel: evaluateFunnel, cohorts: evaluateCohorts };

export type EvaluationTasks = typeof tasks;

serveTasks(tasks);
