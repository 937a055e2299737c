import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { Arranged, ArrangeRequest } from './arrange-html.ts';
import type { CleaningTasks } from './clean-html.thread.ts';

/** HTML without active content, or an error message if it cannot be cleaned. */
export type Cleaned = { html: string } | { error: string };

/** Cleans and arranges HTML in worker threads. */
export interface HtmlCleaner {
  /**
   * @param tenantId limits the threads that one tenant can use
   * @throws ShareTimeoutError when the threads or the machine are too busy
   */
  clean(html: string, tenantId: number | undefined): Promise<Cleaned>;
  /**
   * Arranges cleaned HTML as a page shows it.
   * @throws ShareTimeoutError as above
   */
  arrange(request: ArrangeRequest, tenantId: number | undefined): Promise<Arranged>;
  close(): Promise<void>;
}

// Twenty times the duration of the slowest content within the other limits.
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
        if (error instanceof TaskTooLongError) return { error: 'Is too complex to check; make it shorter or simpler' };
        throw error;
      }
    },
    arrange: (request, tenantId) => workers.run('arrange', request, tenantId),
    close: workers.close,
  };
}
