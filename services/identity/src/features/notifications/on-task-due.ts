import { reminderDue, taskEscalated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { timeFor } from '../../letters.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

type Notice = Omit<EventNotice['notice'], 'userIds' | 'actions' | 'data'>;

/** Reminds users of tasks, by the channel of the reminder, and notifies them of tasks that are escalated to them. */
export const notifyOfDueTasks = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-due-tasks',
    on: [reminderDue, taskEscalated],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const userId = event.name === 'reminder.due' ? event.data.userId : event.data.toUserId;
        // The event itself reaches the webhooks.
        if (userId === null || (event.name === 'reminder.due' && event.data.channel === 'webhook')) continue;
        // Users who may not read tasks are not notified of them.
        const userIds = await usersWho(context.tx, 'tasks:read', { among: [userId] });
        const id = ids.encode('task', event.tenantId, event.data.taskId);
        const notice = event.name === 'reminder.due' ? reminderNotice(event, id) : escalationNotice(event, id);
        const open = { id: 'open', label: { en: 'Open', de: 'Öffnen' }, type: 'url', style: 'primary' } as const;
        notices.push({
          event,
          notice: { ...notice, userIds, data: { type: 'task', id }, actions: [{ ...open, url: `/tasks/${id}` }] },
        });
      }
      await noticesOf(context, notices);
    },
  });

function reminderNotice({ data }: Received<typeof reminderDue>, taskId: string): Notice {
  const { title, dueAt, channel } = data;
  return {
    title: { en: 'Reminder of a task', de: 'Erinnerung an eine Aufgabe' },
    body: {
      en: (reader) =>
        dueAt ? `The task “${title}” is due on ${timeFor(reader, dueAt)}.` : `Remember the task “${title}”.`,
      de: (reader) =>
        dueAt
          ? `Die Aufgabe „${title}“ ist am ${timeFor(reader, dueAt)} fällig.`
          : `Denken Sie an die Aufgabe „${title}“.`,
    },
    category: 'reminders',
    channels: [channel === 'email' ? 'email' : 'in_app'],
    groupKey: `reminder-${taskId}`,
  };
}

function escalationNotice({ data }: Received<typeof taskEscalated>, taskId: string): Notice {
  const { title, level, reason } = data;
  return {
    title: { en: 'A task was escalated to you', de: 'Eine Aufgabe wurde an Sie eskaliert' },
    body: {
      en: `The task “${title}” was escalated to you, on level ${level}.${reason ? ` Reason: ${reason}` : ''}`,
      de: `Die Aufgabe „${title}“ wurde an Sie eskaliert, auf Stufe ${level}.${reason ? ` Grund: ${reason}` : ''}`,
    },
    category: 'escalations',
    priority: 'high',
    groupKey: `escalation-${taskId}`,
  };
}
