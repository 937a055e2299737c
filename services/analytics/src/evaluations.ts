import { createWorkers, type Workers } from '@tandem/workers';
import type { EvaluationTasks } from './evaluations.thread.ts';

/** Evaluates funnels and trains models in threads, so that other requests do not wait. */
export type Evaluations = Workers<EvaluationTasks>;

// 3,000,000 entries take up to 2 s, and up to 400 MB with their groups.
const cpuMs = 10_000;
const heapMb = 1_024;

export function createEvaluations(): Evaluations {
  return createWorkers<EvaluationTasks>(new URL('./evaluations.thread.ts', import.meta.url), { cpuMs, heapMb });
}
