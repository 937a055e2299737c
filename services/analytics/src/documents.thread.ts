import { serveTasks } from '@tandem/workers/serve';
import { reportDocument } from './features/reports/report-document.ts';

const tasks = { report: reportDocument };

export type DocumentTasks = typeof tasks;

serveTasks(tasks);
