import { event, id, name } from '@tandem/contract';
import { z } from 'zod';

const exampleId = 'Lc5XgD0vUj47MnTa';
const Title = name(200);

export const taskCreated = event('task.created', {
  group: 'tasks',
  description: 'A new task is assigned',
  action: 'task.create',
  target: 'task',
  data: z.object({ taskId: id('task'), title: Title, assigneeId: id('user').nullable() }),
  record: z.object({ id: id('task'), title: Title, assignedTo: id('user').nullable() }),
  example: { taskId: exampleId, title: 'Call Ada back', assigneeId: 'Tn5uQ2xJd7RfAe9B' },
});

export const taskCompleted = event('task.completed', {
  group: 'tasks',
  description: 'A task is marked complete',
  action: 'task.complete',
  target: 'task',
  data: z.object({ taskId: id('task') }),
  record: z.object({ id: id('task') }),
  example: { taskId: exampleId },
});
