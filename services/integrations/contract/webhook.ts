import { Environment, id, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { CustomHeaders } from './custom-headers.ts';
import { WebhookFilter } from './webhook-filter.ts';

/** Shown in place of the value of a custom header, which may be a password of the receiver. */
export const hiddenValue = '***';

const Url = z
  .string({ error: 'Must be an http or https URL' })
  .max(2048, 'Must be at most 2048 characters')
  .refine((given) => /^https?:$/.test(URL.parse(given)?.protocol ?? ''), 'Must be an http or https URL')
  .meta({
    description: 'The URL that receives the events: http or https, at most 2048 characters',
    examples: ['https://example.com/hooks/tandem'],
  });

const EventPatterns = z
  .array(text(100), { error: 'Must be a list of event names' })
  .min(1, 'Must contain at least one event')
  .max(100, 'Must contain at most 100 events')
  .meta({
    description: 'The events to receive: names such as `lead.created`, patterns such as `lead.*`, or `*`',
    examples: [['lead.*']],
  });

const Rate = z
  .int({ error: 'Must be a whole number from 1 to 1000' })
  .min(1, 'Must be at least 1')
  .max(1000, 'Must be at most 1000')
  .meta({ description: 'The maximum number of deliveries per second; null for the default', examples: [20] });

const disabledReasons = ['gone', 'failing'] as const;

/** The reason why the platform disabled a webhook. */
export const DisabledReason = z
  .enum(disabledReasons)
  .describe(
    'The reason why the platform disabled the webhook: `gone` if the receiver responded with 410, `failing` if every delivery failed for days',
  );

export const Webhook = z.object({
  id: id('webhook'),
  url: Url,
  events: EventPatterns,
  active: z.boolean().describe('Whether events are sent to the webhook'),
  description: text(500)
    .nullable()
    .meta({ examples: ['Website leads'] }),
  environment: Environment,
  secretHint: z.string().meta({ description: 'The last four characters of the current secret', examples: ['ISE='] }),
  disabledReason: DisabledReason.nullable().meta({ examples: [null] }),
  disabledAt: timestamp()
    .nullable()
    .meta({ description: 'When the platform disabled the webhook', examples: [null] }),
  customHeaders: z.record(z.string(), z.literal(hiddenValue)).meta({
    description: 'The custom headers of each delivery; the values are never returned',
    examples: [{ 'X-Region': '***' }],
  }),
  rateLimitPerSecond: Rate.nullable(),
  filter: WebhookFilter.nullable().meta({ examples: [null] }),
  failureSince: timestamp()
    .nullable()
    .meta({
      description: 'The time since which every delivery has failed; null while deliveries succeed',
      examples: [null],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  authorizedBy: id('user')
    .nullable()
    .describe(
      'The user whose permissions limit which events are delivered: the one who last set `url`, `events` or `active`. The permissions of the API key that set them limit the events as well.',
    ),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The fields of a webhook that a request can set. */
export const WritableWebhook = z.object({
  url: Url,
  events: EventPatterns,
  active: z.boolean({ error: 'Must be true or false' }).optional(),
  description: text(500).nullish(),
  customHeaders: CustomHeaders.optional(),
  rateLimitPerSecond: Rate.nullish(),
  filter: WebhookFilter.nullish(),
});
