import { tryCleanHtml } from '@tandem/html-cleaner/clean';
import { serveTasks } from '@tandem/workers/serve';
import { type Arranged, type ArrangeRequest, arrangeHtml } from './arrange-html.ts';

const tasks = {
  clean: tryCleanHtml,
  /** Arranges cleaned HTML as a page shows it. */
  arrange: (request: ArrangeRequest): Arranged => arrangeHtml(request),
};

export type CleaningTasks = typeof tasks;

serveTasks(tasks);
