import { operations } from '@tandem/contract';
import { z } from 'zod';
import { campaignAutoPaused } from './campaign.ts';
import { leadResubscribed, leadUnsubscribed } from './preferences.ts';
import { suppressionAdded, suppressionRemoved } from './suppressions.ts';
import { messageEngaged } from './tracking.ts';

export const providers = ['ses', 'sendgrid', 'twilio'] as const;

/** Maximum size of a report in bytes. */
export const providerEventMax = 1_048_576;
/** Maximum size of an incoming message in bytes: with an attachment of 20 MiB, which most providers accept, it has 27. */
export const inboundMailMax = 30 * 1_048_576;

export const Provider = z.enum(providers).meta({ description: 'Who reports', examples: ['ses'] });

const received = z.object({ received: z.int().meta({ description: 'How many reports were read', examples: [1] }) });
const invalidSignature = {
  invalid_signature: [401, 'The signature does not match the body, or is too old'],
} as const;

export const providerEvents = operations({
  receiveProviderEvent: {
    method: 'POST',
    path: '/v1/public/providers/:provider/events',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Receive a report of a mail or text message provider',
    description:
      'The webhook that you enter at the provider. `ses`: notifications of Amazon SNS about bounces, complaints and deliveries; the subscription is confirmed automatically. `sendgrid`: the signed Event Webhook. `twilio`: status callbacks and incoming text messages (form). A repeated report has its effect once. A provider that is not configured is not found.',
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
      },
    },
    bodyMax: providerEventMax,
    reply: received,
    message: 'Report received',
    emits: [
      messageEngaged,
      suppressionAdded,
      suppressionRemoved,
      campaignAutoPaused,
      leadUnsubscribed,
      leadResubscribed,
    ],
    errors: {
      ...invalidSignature,
      provider_unreachable: [503, 'The certificate of the provider could not be fetched; send the report again'],
    },
    timeoutMs: 20_000,
  },
  receiveInboundMail: {
    method: 'POST',
    path: '/v1/public/providers/email/events',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Receive an incoming message',
    description:
      'Called by your own mail server with a message as it arrived (MIME, at most 30 MiB), such as a reply, an automatic answer or a bounce. Only its first 64 KiB are read, so attachments may be left out; the signature covers the bytes that are sent. A repeated message has its effect once. Without the shared secret in the settings this is not found.',
    rawBody: {
      headers: {
        'X-Tandem-Signature':
          '`v1=` and the HMAC-SHA256 of `<timestamp>.<body>` under the shared secret in hexadecimal digits',
        'X-Tandem-Timestamp': 'When the message was signed, in seconds since 1970; at most 5 minutes ago',
      },
      streamed: true,
    },
    bodyMax: inboundMailMax,
    reply: received,
    message: 'Message received',
    emits: [messageEngaged, suppressionAdded, campaignAutoPaused],
    errors: invalidSignature,
    timeoutMs: 60_000,
  },
});
