import { type HtmlCleaner as Cleaner, cleaningLimits, cleanWith } from '@tandem/html-cleaner';
import { createWorkers } from '@tandem/workers';
import type { Arranged, ArrangeRequest } from './arrange-html.ts';
import type { CleaningTasks } from './clean-html.thread.ts';

export type { Cleaned } from '@tandem/html-cleaner';

/** Cleans and arranges HTML in worker threads. */
export interface HtmlCleaner extends Cleaner {
  /**
   * Arranges cleaned HTML as a page shows it.
   * @throws ShareTimeoutError when the threads or the machine are too busy
   */
  arrange(request: ArrangeRequest, tenantId: number | undefined): Promise<Arranged>;
}

/** Creates a cleaner. Its threads start with the first content. */
export function createHtmlCleaner(): HtmlCleaner {
  const workers = createWorkers<CleaningTasks>(new URL('./clean-html.thread.ts', import.meta.url), cleaningLimits);
  return {
    clean: (html, tenantId) => cleanWith(workers, html, tenantId),
    arrange: (request, tenantId) => workers.run('arrange', request, tenantId),
    close: workers.close,
  };
}
