import { serveTasks } from '@tandem/workers/serve';
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
};

export type CleaningTasks = typeof tasks;

serveTasks(tasks);
