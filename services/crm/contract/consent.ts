import { text, timestamp } from '@tandem/contract';
import { z } from 'zod';

// Allows for clock differences between clients and the server.
const clockToleranceMs = 60_000;

/** Ways to contact a person, each of which needs a consent of its own. */
export const consentChannels = ['email', 'phone', 'sms', 'whatsapp', 'post'] as const;
export const consentStates = ['granted', 'denied', 'unknown'] as const;

export const ConsentState = z.enum(consentStates).describe('Whether the person may be contacted in this way');
const Source = text(200).meta({
  description: 'Where the person decided: a form, a call, an unsubscribe link',
  examples: ['Newsletter form'],
});

export const ChannelConsent = z.object({
  state: ConsentState.meta({ examples: ['granted'] }),
  at: timestamp().describe('When the person decided'),
  source: Source.nullable(),
});

const byChannel = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(
    Object.fromEntries(
      consentChannels.map((channel) => [channel, schema.describe(`The consent for the channel ${channel}`)]),
    ) as Record<(typeof consentChannels)[number], Schema>,
  );

/** The consent of a person by channel. A channel that nothing is known about is absent. */
export const Consent = byChannel(ChannelConsent.optional()).meta({
  description: 'The consent of the person for each channel: `email`, `phone`, `sms`, `whatsapp`, `post`',
  examples: [{ email: { state: 'granted', at: '2026-03-02T09:00:00.000Z', source: 'Newsletter form' } }],
});

/** A change of consents: channels that it does not name stay, and null removes what is known about a channel. */
export const ConsentChange = byChannel(
  z
    .object({
      state: ConsentState,
      at: timestamp()
        .refine((at) => at.getTime() <= Date.now() + clockToleranceMs, { error: 'Must not be in the future' })
        .describe('When the person decided; by default now')
        .optional(),
      source: Source.nullish(),
    })
    .nullish(),
).meta({
  description: 'The consent for each channel to change; other channels stay, and null removes one',
  examples: [{ email: { state: 'granted', at: '2026-03-02T09:00:00.000Z', source: 'Newsletter form' } }],
});
