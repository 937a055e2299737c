import { serveTasks } from '@tandem/workers/serve';
import { tryCleanHtml } from './clean-html.ts';

const tasks = { clean: tryCleanHtml };

export type CleaningTasks = typeof tasks;

serveTasks(tasks);
