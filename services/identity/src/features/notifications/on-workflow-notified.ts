import { workflowNotified } from '@tandem/campaign-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

/** Notifies users by nodes of workflows, once per step. */
export const notifyOfWorkflows = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-workflows',
    on: [workflowNotified],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { leadId, message } = event.data;
        // Users who may not read leads are not notified of them.
        const userIds = await usersWho(context.tx, 'leads:read', { among: event.data.userIds });
        if (!userIds.length) continue;
        const id = ids.encode('lead', event.tenantId, leadId);
        notices.push({
          event,
          notice: {
            userIds,
            title: { en: `Workflow “${event.record.name}”`, de: `Workflow „${event.record.name}“` },
            body: { en: message, de: message },
            category: 'workflows',
            data: { type: 'lead', id },
            actions: [
              { id: 'open', label: { en: 'Open', de: 'Öffnen' }, type: 'url', url: `/leads/${id}`, style: 'primary' },
            ],
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
