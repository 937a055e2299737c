import { createWorkers, TaskTooLong } from '@tandem/workers';
import type { CleaningTasks } from './clean-html.thread.ts';

/** HTML without anything that runs, or why it cannot be cleaned, as a sentence for its author. */
export type Cleaned = { html: string } | { refusal: string };

/** Cleans HTML in worker threads. */
export interface HtmlCleaner {
  /**
   * @param tenantId the tenant whose share of the threads is used
   * @throws ShareTimeout when the threads or the machine are too busy
   */
  clean(html: string, tenantId: number | undefined): Promise<Cleaned>;
  close(): Promise<void>;
}

// Twenty times the time of the slowest content within the other limits.
const cpuMs = 2_000;

/** Creates a cleaner. Its threads start with the first content. */
export function createHtmlCleaner(): HtmlCleaner {
  const workers = createWorkers<CleaningTasks>(new URL('./clean-html.thread.ts', import.meta.url), { cpuMs });
  return {
    async clean(html, tenantId) {
      if (html === '') return { html };
      try {
        return await workers.run('clean', html, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLong) return { refusal: 'Is too complex to check; make it smaller or simpler' };
        throw error;
      }
    },
    close: workers.close,
  };
}
