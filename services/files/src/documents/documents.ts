import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { DocumentTasks, Outcome, Source } from './document.process.ts';
import { DocumentError, type PageText, type Preview } from './document.ts';
import type { Language } from './recognition.ts';

/** Reads documents and pictures in processes of their own. */
export interface Documents {
  /**
   * The number of pages of a PDF, and the text of those pages that it has; pages that are scans have no lines.
   * @throws DocumentError when the file cannot be read, ShareTimeoutError when the processes are busy
   */
  readText(
    input: { path: string; pages: number[] },
    tenantId: number,
  ): Promise<{ pagesCount: number; pages: PageText[] }>;
  /**
   * Pictures of the first page, one per side.
   * @throws as above
   */
  makePreviews(source: Source & { sides: number[] }, tenantId: number): Promise<Preview[]>;
  /**
   * Recognizes the text of a picture or a page.
   * @throws as above
   */
  recognize(source: Source & { page: number; languages: Language[] }, tenantId: number): Promise<PageText>;
  close(): Promise<void>;
}

// The slowest task with useful input was a page of small text, which took 9 s.
const limits = { cpuMs: 30_000, elapsedMs: 120_000, startMs: 30_000, heapMb: 256, memoryMb: 768, threads: 1 };
// Recognition takes seconds per page, and must not hold up previews and the text of documents.
const waiting = { waitMs: 60_000, waitingOfTenant: 20 };

/** Creates the processes, which start with the first file. */
export function createDocuments(): Documents {
  const file = new URL('./document.process.ts', import.meta.url);
  const quick = createWorkers<DocumentTasks>(file, { ...limits, cpuMs: 10_000, ...waiting });
  const slow = createWorkers<DocumentTasks>(file, { ...limits, ...waiting });
  return {
    readText: (input, tenantId) => valueIn(quick.run('readText', input, tenantId)),
    makePreviews: (source, tenantId) => valueIn(quick.run('makePreviews', source, tenantId)),
    recognize: (source, tenantId) => valueIn(slow.run('recognize', source, tenantId)),
    async close() {
      await Promise.all([quick.close(), slow.close()]);
    },
  };
}

async function valueIn<T>(work: Promise<Outcome<T>>): Promise<T> {
  const outcome = await work.catch((error: unknown) => {
    throw error instanceof TaskTooLongError ? new DocumentError('too_large') : error;
  });
  if (outcome.fault) throw new DocumentError(outcome.fault);
  return outcome.value;
}
