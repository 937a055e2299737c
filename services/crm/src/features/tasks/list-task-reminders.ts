import type { reminders } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asReminder } from './reminder.ts';
import { checkTask } from './task.ts';

export const listTaskReminders: Handler<typeof reminders.listTaskReminders> = async ({ params, tx, list }) => {
  await checkTask(tx, params.id);
  const page = await list({ model: tx.reminder, where: { taskId: params.id } });
  return { ...page, items: page.items.map(asReminder) };
};
