import { serveTasks } from '@tandem/workers/serve';
import { cleanHtml, levelsMax, TooDeep } from './clean-html.ts';

const tasks = {
  /** Returns cleaned HTML, or why it cannot be cleaned. */
  clean(html: string): { html: string } | { refusal: string } {
    try {
      return { html: cleanHtml(html) };
    } catch (error) {
      if (error instanceof TooDeep) return { refusal: `Must be nested at most ${levelsMax} levels deep` };
      throw error;
    }
  },
};

export type CleaningTasks = typeof tasks;

serveTasks(tasks);
