import { formSubmitted } from '@tandem/campaign-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

/**
 * Notifies the users whom a form names of its submissions. Submissions of a form at about the same time are one notice, and
 * further ones take its place while it is unread.
 */
export const notifyOfForms = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-forms',
    on: [formSubmitted],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      const notified = events.filter(({ record }) => record.notifyUserIds?.length);
      for (const [formId, group] of Map.groupBy(notified, ({ record }) => record.id)) {
        const event = group.at(-1) as (typeof group)[number];
        const { name = '', notifyUserIds } = event.record;
        // Users who may not read forms are not notified of them.
        const userIds = await usersWho(context.tx, 'campaigns:read', { among: notifyUserIds ?? [] });
        if (!userIds.length) continue;
        const id = ids.encode('form', event.tenantId, formId);
        const { length: count } = group;
        notices.push({
          event,
          notice: {
            userIds,
            title: { en: 'A form was submitted', de: 'Ein Formular wurde ausgefüllt' },
            body: {
              en: `The form “${name}” was submitted${count === 1 ? '' : ` ${count} times`}.`,
              de: `Das Formular „${name}“ wurde ${count === 1 ? '' : `${count} Mal `}ausgefüllt.`,
            },
            category: 'forms',
            data: { type: 'form', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Open', de: 'Öffnen' },
                type: 'url',
                url: `/forms/${id}/submissions`,
                style: 'primary',
              },
            ],
            groupKey: `form-${id}`,
            groupCount: count,
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
