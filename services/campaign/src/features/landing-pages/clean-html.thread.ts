import { serveTasks } from '@tandem/workers/serve';
import { type Arranged, type ArrangeRequest, arrangeHtml } from './arrange-html.ts';
import { cleanHtml, levelsMax, TooDeepError } from './clean-html.ts';

const tasks = {
  /** Returns cleaned HTML, or an error message if it cannot be cleaned. */
  clean(html: string): { html: string } | { error: string } {
    try {
      return { html: cleanHtml(html) };
    } catch (error) {
      if (error instanceof TooDeepError) return { error: `Must have at most ${levelsMax} nested levels` };
      throw error;
    }
  },
  /** Arranges cleaned HTML as a page shows it. */
  arrange: (request: ArrangeRequest): Arranged => arrangeHtml(request),
};

export type CleaningTasks = typeof tasks;

serveTasks(tasks);
