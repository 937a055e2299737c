import { type ConsumerContext, consumer } from '@tandem/events';
import { dealRegistrationSubmitted } from '@tandem/partner-contract';
import type { Tools, Tx } from '../../handler.ts';
import { actorOf, type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

/** Notifies the users who decide on deal registrations of those that are submitted. */
export const notifyOfDealRegistrations = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-deal-registrations',
    on: [dealRegistrationSubmitted],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { company } = event.record;
        const id = ids.encode('deal_registration', event.tenantId, event.record.id);
        notices.push({
          event,
          notice: {
            userIds: await usersWho(context.tx, 'partners:manage', { except: actorOf(event) }),
            title: { en: 'A deal was registered', de: 'Ein Geschäft wurde registriert' },
            body: {
              en: `A partner registered a deal with ${company}, and waits for your decision.`,
              de: `Ein Partner hat ein Geschäft mit ${company} registriert und wartet auf Ihre Entscheidung.`,
            },
            category: 'partners',
            data: { type: 'deal_registration', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Review', de: 'Prüfen' },
                type: 'url',
                url: `/partners/deal-registrations/${id}`,
                style: 'primary',
              },
            ],
            groupKey: 'deal-registrations',
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
