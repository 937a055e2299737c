import { type ConsumerContext, consumer } from '@tandem/events';
import { webhookDisabled, webhookFailing } from '@tandem/integrations-contract';
import { partnerReapplied, partnerRegistered } from '@tandem/partner-contract';
import type { Tools, Tx } from '../../handler.ts';
import { timeFor } from '../../letters.ts';
import type { Notice } from './notify.ts';
import { actorOf, type EventNotice, noticesOf } from './platform-notice.ts';
import { usersWho } from './users-who.ts';

/** Notifies administrators, and the user who set up the webhook, when it fails or is disabled. */
export const notifyOfWebhooks = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-webhooks',
    on: [webhookFailing, webhookDisabled],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { url, createdBy } = event.record;
        const id = ids.encode('webhook', event.tenantId, event.record.id);
        const managers = await usersWho(context.tx, 'webhooks:manage');
        const creator = createdBy ? await usersWho(context.tx, 'webhooks:read', { among: [createdBy] }) : [];
        notices.push({
          event,
          notice: {
            userIds: [...new Set([...managers, ...creator])],
            ...(event.name === 'webhook.disabled'
              ? disabledTexts(url, event.data.reason)
              : failingTexts(url, event.data.failureSince)),
            category: 'webhooks',
            priority: 'high',
            channels: ['in_app', 'email'],
            data: { type: 'webhook', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Open', de: 'Öffnen' },
                type: 'url',
                url: `/webhooks/${id}`,
                style: 'primary',
              },
            ],
            groupKey: `webhook-${id}`,
          },
        });
      }
      await noticesOf(context, notices);
    },
  });

function disabledTexts(url: string, reason: string): Pick<Notice, 'title' | 'body'> {
  return {
    title: { en: 'A webhook was disabled', de: 'Ein Webhook wurde abgeschaltet' },
    body: {
      en: `Deliveries to ${url} have stopped (${reason}). Correct the endpoint, then activate the webhook again.`,
      de: `Zustellungen an ${url} sind eingestellt (${reason}). Korrigieren Sie den Endpunkt, und aktivieren Sie den Webhook wieder.`,
    },
  };
}

function failingTexts(url: string, since: Date): Pick<Notice, 'title' | 'body'> {
  return {
    title: { en: 'A webhook is failing', de: 'Ein Webhook schlägt fehl' },
    body: {
      en: (reader) =>
        `Every delivery to ${url} has failed since ${timeFor(reader, since)}. The webhook is disabled if this goes on.`,
      de: (reader) =>
        `Seit ${timeFor(reader, since)} ist jede Zustellung an ${url} fehlgeschlagen. Geht das so weiter, wird der Webhook abgeschaltet.`,
    },
  };
}

/** Notifies the users who decide on partners of new applications, and of those that are reopened. */
export const notifyOfPartners = ({ ids }: Pick<Tools, 'ids'>) =>
  consumer({
    name: 'notify-of-partners',
    on: [partnerRegistered, partnerReapplied],
    async handle(events, context: ConsumerContext<Tx>) {
      const notices: EventNotice[] = [];
      for (const event of events) {
        const { status, firstName, lastName, company } = event.record;
        if (status !== 'pending') continue;
        const applicant = `${firstName} ${lastName}${company ? ` (${company})` : ''}`;
        const id = ids.encode('partner', event.tenantId, event.record.id);
        notices.push({
          event,
          notice: {
            userIds: await usersWho(context.tx, 'partners:manage', { except: actorOf(event) }),
            title: { en: 'A partner applied', de: 'Ein Partner hat sich beworben' },
            body: {
              en: `${applicant} applied for the partner program.`,
              de: `${applicant} hat sich für das Partnerprogramm beworben.`,
            },
            category: 'partners',
            data: { type: 'partner', id },
            actions: [
              {
                id: 'open',
                label: { en: 'Review', de: 'Prüfen' },
                type: 'url',
                url: `/partners/${id}`,
                style: 'primary',
              },
            ],
            groupKey: 'partner-applications',
          },
        });
      }
      await noticesOf(context, notices);
    },
  });
