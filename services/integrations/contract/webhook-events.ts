import { event, id, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { DisabledReason, Webhook } from './webhook.ts';
import { PreviousSecretExpiresAt } from './webhook-secret.ts';

const about = z.object({ webhookId: id('webhook') });
const exampleAbout = { webhookId: 'Jr1zaOS4fVNTh4Ou' };

/** Declares a webhook event. With an example it is in the catalogue, otherwise only in the audit log. */
function webhookEvent<const Name extends `webhook.${string}`, Data extends z.ZodType>(
  name: Name,
  action: string,
  description: string,
  data: Data,
  example?: z.input<Data>,
) {
  const shown = example && ({ group: 'integrations', readPermission: 'webhooks:read', example } as const);
  return event(name, { ...shown, description, action, target: 'webhook', data, record: Webhook });
}

export const webhookCreated = webhookEvent('webhook.created', 'webhook.create', 'A webhook is created', about);
export const webhookUpdated = webhookEvent(
  'webhook.updated',
  'webhook.update',
  'A webhook is updated',
  about.extend({ fields: z.array(z.string()) }),
);
export const webhookDeleted = webhookEvent('webhook.deleted', 'webhook.delete', 'A webhook is deleted', about);
export const webhookSecretRotated = webhookEvent(
  'webhook.secret_rotated',
  'webhook.rotate_secret',
  'The secret of a webhook is rotated',
  about.extend({ previousSecretExpiresAt: PreviousSecretExpiresAt }),
  { ...exampleAbout, previousSecretExpiresAt: '2026-01-16T09:30:00.000Z' },
);
export const webhookFailing = webhookEvent(
  'webhook.failing',
  'webhook.warn',
  'All deliveries to a webhook have failed for a day',
  about.extend({ failureSince: timestamp().describe('The time since which every delivery has failed') }),
  { ...exampleAbout, failureSince: '2026-01-14T09:30:00.000Z' },
);
export const webhookDisabled = webhookEvent(
  'webhook.disabled',
  'webhook.disable',
  'The platform disables a webhook',
  about.extend({ reason: DisabledReason }),
  { ...exampleAbout, reason: 'failing' },
);
export const webhookRecovered = webhookEvent(
  'webhook.recovered',
  'webhook.recover',
  'A webhook recovers after it was reported as failing or disabled by the platform',
  about,
  exampleAbout,
);
export const webhookRecoveryRequested = webhookEvent(
  'webhook.recovery_requested',
  'webhook.request_recovery',
  'Missed deliveries of a webhook are requested again',
  about.extend({ since: timestamp(), until: timestamp().nullable(), matched: z.int() }),
);
export const webhookReplayRequested = webhookEvent(
  'webhook.replay_requested',
  'webhook.request_replay',
  'Events that a webhook has never received are requested',
  about.extend({
    since: timestamp(),
    until: timestamp().nullable(),
    events: z.array(z.string()).nullable(),
    matched: z.int(),
  }),
);
