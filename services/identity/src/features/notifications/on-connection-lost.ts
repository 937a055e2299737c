import { type ConsumerContext, consumer, type Received } from '@tandem/events';
import { connectionFailed, connectionNeedsReauth, runFailed } from '@tandem/integrations-contract';
import type { Tools, Tx } from '../../handler.ts';
import { type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

type Notice = Pick<EventNotice['notice'], 'title' | 'body' | 'data' | 'actions' | 'groupKey'>;
type ConnectionEvent = Received<typeof connectionNeedsReauth> | Received<typeof connectionFailed>;
type LostEvent = ConnectionEvent | Received<typeof runFailed>;

/** Notifies administrators, and the user who set it up, when a connection no longer works, or a sync fails. */
export const notifyOfConnections = (tools: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-connections',
    on: [connectionNeedsReauth, connectionFailed, runFailed],
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

function ofConnection({ ids }: Pick<Tools, 'ids'>, event: ConnectionEvent): [Notice | undefined, number | null] {
  const { tenantId, record } = event;
  const text = textOf(event);
  if (!text) return [undefined, null];
  const id = ids.encode('connection', tenantId, record.id);
  const { createdBy } = record;
  return [
    {
      ...text,
      data: { type: 'connection', id },
      actions: [openAt(`/integrations/connections/${id}`)],
      groupKey: `connection-${id}`,
    },
    createdBy,
  ];
}

/** There is no text if only the operator of the platform can do something: the provider refuses the platform itself. */
function textOf({ name: event, data, record: { name } }: ConnectionEvent): Pick<Notice, 'title' | 'body'> | undefined {
  if (event === 'integration.needs_reauth')
    return {
      title: { en: 'A connection has to be authorized again', de: 'Eine Verbindung muss neu autorisiert werden' },
      body: {
        en: `The provider no longer accepts the connection “${name}”. Authorize it again.`,
        de: `Der Anbieter nimmt die Verbindung „${name}“ nicht mehr an. Autorisieren Sie sie neu.`,
      },
    };
  if (data.reason !== 'credentials_rejected') return undefined;
  return {
    title: { en: 'A connection has to be checked', de: 'Eine Verbindung muss geprüft werden' },
    body: {
      en: `The connected system rejects the credentials of the connection “${name}”. Check them, and enter them again.`,
      de: `Das verbundene System lehnt die Zugangsdaten der Verbindung „${name}“ ab. Prüfen Sie sie, und geben Sie sie neu ein.`,
    },
  };
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
