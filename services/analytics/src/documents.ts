import { createWorkers, type Workers } from '@tandem/workers';
import type { DocumentTasks } from './documents.thread.ts';

/** Makes the PDF of reports in threads, so that other requests do not wait. */
export type Documents = Workers<DocumentTasks>;

const cpuMs = 10_000;
const heapMb = 512;

export function createDocuments(): Documents {
  return createWorkers<DocumentTasks>(new URL('./documents.thread.ts', import.meta.url), { cpuMs, heapMb });
}
