import { serveTasks } from '@tandem/workers/serve';
import { evaluateFunnel } from './features/funnels/evaluate.ts';

const tasks = { funnel: evaluateFunnel };

export type EvaluationTasks = typeof tasks;

serveTasks(tasks);
