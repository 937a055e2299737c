import { operations } from '@tandem/contract';
import { z } from 'zod';
import { campaignAutoPaused } from './campaign.ts';
import { leadUnsubscribed } from './preferences.ts';
import { suppressionAdded, suppressionRemoved } from './suppressions.ts';
import { messageEngaged } from './tracking.ts';

export const providers = ['ses', 'sendgrid', 'twilio', 'email'] as const;

/** Maximum size of a report or of an incoming message, in bytes. */
export const providerEventMax = 1_048_576;

export const Provider = z
  .enum(providers)
  .meta({ description: 'Who reports; `email` is your own mail server with incoming messages', examples: ['ses'] });

export const providerEvents = operations({
  receiveProviderEvent: {
    method: 'POST',
    path: '/v1/public/providers/:provider/events',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Receive a report of a mail or text message provider',
    description:
      'The webhook that you enter at the provider. `ses`: notifications of Amazon SNS about bounces, complaints and deliveries; the subscription is confirmed automatically. `sendgrid`: the signed Event Webhook. `twilio`: status callbacks and incoming text messages (form). `email`: an incoming message as it arrived (MIME, at most 1 MiB; only its first 64 KiB are read, so a larger one can be cut), such as a reply, an automatic answer or a bounce; its `X-Tandem-Signature` is `v1=` and the hexadecimal HMAC-SHA256 of `<timestamp>.<body>` under the shared secret, and its `X-Tandem-Timestamp` the time in seconds. A repeated report has its effect once. A provider that is not configured is not found.',
    params: z.object({ provider: Provider }),
    query: z.object({
      message: z
        .string()
        .max(500)
        .meta({ description: 'The token of the message in a status callback', examples: ['ThisIsOnlyAnExample'] })
        .optional(),
    }),
    rawBody: {
      headers: {
        'X-Twilio-Email-Event-Webhook-Signature': 'The signature of SendGrid (ECDSA, Base64)',
        'X-Twilio-Email-Event-Webhook-Timestamp':
          'When SendGrid signed the report, in seconds since 1970; at most 24 hours and 10 minutes ago, because SendGrid repeats reports for a day',
        'X-Twilio-Signature': 'The signature of Twilio (HMAC-SHA1, Base64)',
        'X-Tandem-Signature': 'The signature of an incoming message: `v1=` and an HMAC-SHA256 in hexadecimal digits',
        'X-Tandem-Timestamp': 'When an incoming message was signed, in seconds since 1970; at most 5 minutes ago',
      },
    },
    bodyMax: providerEventMax,
    reply: z.object({
      received: z.int().meta({ description: 'How many reports were read', examples: [1] }),
    }),
    message: 'Report received',
    emits: [messageEngaged, suppressionAdded, suppressionRemoved, campaignAutoPaused, leadUnsubscribed],
    errors: {
      invalid_signature: [401, 'The signature does not match the body, or is too old'],
      provider_unreachable: [503, 'The certificate of the provider could not be fetched; send the report again'],
    },
    timeoutMs: 20_000,
  },
});
