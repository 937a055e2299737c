import { type ConsumerContext, consumer } from '@tandem/events';
import { connectionNeedsReauth } from '@tandem/integrations-contract';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

/** Notifies administrators, and the user who created the connection, when it has to be authorized again. */
export const notifyOfConnections = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-connections',
    on: [connectionNeedsReauth],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { name, createdBy } = event.record;
        const id = ids.encode('connection', event.tenantId, event.record.id);
        const managers = await usersWho(context.tx, 'integrations:manage');
        const creator = createdBy ? await usersWho(context.tx, 'integrations:write', { among: [createdBy] }) : [];
        notices.push({
          event,
          notice: {
            userIds: [...new Set([...managers, ...creator])],
            title: { en: 'A connection has to be authorized again', de: 'Eine Verbindung muss neu autorisiert werden' },
            body: {
              en: `The provider no longer accepts the connection “${name}”. Authorize it again.`,
              de: `Der Anbieter nimmt die Verbindung „${name}“ nicht mehr an. Autorisieren Sie sie neu.`,
            },
            category: 'connections',
            priority: 'high',
            channels: ['in_app', 'email'],
            data: { type: 'connection', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Open', de: 'Öffnen' },
                type: 'url',
                url: `/integrations/connections/${id}`,
                style: 'primary',
              },
            ],
            groupKey: `connection-${id}`,
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
