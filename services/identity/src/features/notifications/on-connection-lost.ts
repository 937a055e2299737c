import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { connectionNeedsReauth, runFailed } from '@tandem/integrations-contract';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

type Notice = Pick<EventNotice['notice'], 'title' | 'body' | 'data' | 'actions' | 'groupKey'>;
type LostEvent = Received<typeof connectionNeedsReauth> | Received<typeof runFailed>;

/** Notifies administrators, and the user who set it up, when a connection has to be authorized again, or a sync fails. */
export const notifyOfConnections = (tools: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-connections',
    on: [connectionNeedsReauth, runFailed],
    async handle(events: LostEvent[], context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const [notice, userId] = noticeOf(tools, event);
        if (!notice) continue;
        const managers = await usersWho(context.tx, 'integrations:manage');
        const creator = userId ? await usersWho(context.tx, 'integrations:write', { among: [userId] }) : [];
        notices.push({
          event,
          notice: {
            ...notice,
            userIds: [...new Set([...managers, ...creator])],
            category: 'connections',
            priority: 'high',
            channels: ['in_app', 'email'],
          },
        });
      }
      await noticesOf(context, notices);
    },
  });

function noticeOf(tools: Pick<Tools, 'ids'>, event: LostEvent): [notice: Notice | undefined, userId: number | null] {
  return event.name === 'integration.run_failed' ? ofRun(tools, event) : ofConnection(tools, event);
}

function ofConnection(
  { ids }: Pick<Tools, 'ids'>,
  { tenantId, record }: Received<typeof connectionNeedsReauth>,
): [Notice, number | null] {
  const id = ids.encode('connection', tenantId, record.id);
  const { name, createdBy } = record;
  return [
    {
      title: { en: 'A connection has to be authorized again', de: 'Eine Verbindung muss neu autorisiert werden' },
      body: {
        en: `The provider no longer accepts the connection “${name}”. Authorize it again.`,
        de: `Der Anbieter nimmt die Verbindung „${name}“ nicht mehr an. Autorisieren Sie sie neu.`,
      },
      data: { type: 'connection', id },
      actions: [openAt(`/integrations/connections/${id}`)],
      groupKey: `connection-${id}`,
    },
    createdBy,
  ];
}

/** Only of the first failed sync of a config: the next ones fail for the same reason until somebody does something. */
function ofRun(
  { ids }: Pick<Tools, 'ids'>,
  { tenantId, data }: Received<typeof runFailed>,
): [Notice | undefined, number | null] {
  const { configId, connectorKey, trigger, reason, failures, authorizedBy } = data;
  if (trigger === 'event' || failures > 1) return [undefined, null];
  const id = ids.encode('connector_config', tenantId, configId);
  return [
    {
      title: { en: 'A sync failed', de: 'Eine Synchronisierung ist fehlgeschlagen' },
      body: {
        en: `The sync of ${connectorKey} failed: ${reason}.`,
        de: `Die Synchronisierung von ${connectorKey} ist fehlgeschlagen: ${reason}.`,
      },
      data: { type: 'connector_config', id },
      actions: [openAt(`/integrations/configs/${id}`)],
      groupKey: `connector-config-${id}`,
    },
    authorizedBy,
  ];
}

function openAt(url: string) {
  return { id: 'open', label: { en: 'Open', de: 'Öffnen' }, type: 'url', url, style: 'primary' } as const;
}
