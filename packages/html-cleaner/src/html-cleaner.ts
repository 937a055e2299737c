import { createWorkers, TaskTooLongError, type Workers } from '@tandem/workers';
import type { CleaningTasks } from './clean-html.thread.ts';
import type { Cleaned } from './clean-html.ts';

export type { Cleaned } from './clean-html.ts';

/** Cleans HTML in worker threads. */
export interface HtmlCleaner {
  /**
   * @param tenantId limits the threads that one tenant can use
   * @throws ShareTimeoutError when the threads or the machine are too busy
   */
  clean(html: string, tenantId: number | undefined): Promise<Cleaned>;
  close(): Promise<void>;
}

/** Limits of the threads: twenty times the duration of the slowest content within the other limits. */
export const cleaningLimits = { cpuMs: 2_000 };

/** Creates a cleaner. Its threads start with the first content. */
export function createHtmlCleaner(): HtmlCleaner {
  const workers = createWorkers<CleaningTasks>(new URL('./clean-html.thread.ts', import.meta.url), cleaningLimits);
  return { clean: (html, tenantId) => cleanWith(workers, html, tenantId), close: workers.close };
}

/** Cleans HTML in the threads of a service whose tasks include `clean`. */
export async function cleanWith(
  workers: Pick<Workers<CleaningTasks>, 'run'>,
  html: string,
  tenantId: number | undefined,
): Promise<Cleaned> {
  if (html === '') return { html };
  try {
    return await workers.run('clean', html, tenantId);
  } catch (error) {
    if (error instanceof TaskTooLongError) return { error: 'Is too complex to check; make it shorter or simpler' };
    throw error;
  }
}
