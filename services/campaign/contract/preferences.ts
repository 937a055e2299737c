import { event, flag, id, media, operations, sharedErrors, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { MessageChannel, suppressionAdded, suppressionRemoved } from './suppressions.ts';
import { Topic } from './topics.ts';

const TopicName = Topic.pick({ id: true, name: true, description: true });

/** Whether an address gets messages, as its owner sees it. */
export const Unsubscribed = z.object({
  channel: MessageChannel,
  address: z.string().meta({
    description: 'The address of the message, mostly hidden, because links are forwarded',
    examples: ['a***@example.com'],
  }),
  topic: TopicName.nullable().describe('The topic of the message'),
  unsubscribedFromTopic: z
    .boolean()
    .meta({ description: 'Whether the address gets no messages of this topic', examples: [false] }),
  unsubscribedFromAll: z.boolean().meta({ description: 'Whether the address gets no messages', examples: [false] }),
});

/** Which messages a person wants. */
export const Preferences = z.object({
  channels: z
    .object({
      email: z.boolean().describe('Whether messages may be sent by e-mail').optional(),
      sms: z.boolean().describe('Whether messages may be sent by SMS').optional(),
    })
    .describe('Only the channels for which an address is known'),
  topics: z
    .record(z.string(), z.boolean())
    .meta({ description: 'Whether the person wants messages of the topic, by its id', examples: [{}] }),
  availableTopics: z.array(TopicName).describe('The public topics'),
  pauseUntil: timestamp().nullable().describe('Until when no messages are sent'),
});

const DecisionWay = z
  .enum(['link', 'text_message'])
  .meta({ description: 'Whether the person used the link of a message, or sent a text message', examples: ['link'] });

export const leadUnsubscribed = event('lead.unsubscribed', {
  description: 'A person unsubscribes by the link of a message, or by a text message',
  action: 'lead.unsubscribe',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    channel: MessageChannel,
    topicId: id('topic').nullable().describe('The topic; null for all messages'),
    // Only services read it.
    messageId: z.int().nullable().describe('The number of the message with the link'),
    way: DecisionWay.nullish(),
  }),
  record: z.object({ id: id('lead') }),
});

export const leadResubscribed = event('lead.resubscribed', {
  description: 'A person who had unsubscribed from all messages of a channel wants them again',
  action: 'lead.resubscribe',
  target: 'lead',
  data: z.object({ leadId: id('lead'), channel: MessageChannel, way: DecisionWay }),
  record: z.object({ id: id('lead') }),
});

export const leadPreferencesChanged = event('lead.preferences_changed', {
  description: 'A person changes which messages they want, by the link of a message',
  action: 'lead.change_preferences',
  target: 'lead',
  data: z.object({
    leadId: id('lead'),
    fields: z.array(z.enum(['topics', 'channels', 'pauseUntil'])),
    pauseUntil: timestamp().nullable(),
  }),
  record: z.object({ id: id('lead') }),
});

const withToken = z.object({
  token: z
    .string()
    .max(2000)
    .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExample'] }),
});
const linkErrors = { link_expired: sharedErrors.link_expired } as const;

export const preferences = operations({
  getUnsubscribe: {
    method: 'GET',
    path: '/v1/public/unsubscribe/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Retrieve what an unsubscribe link applies to',
    description: 'Changes nothing, because mail scanners open links.',
    params: withToken,
    reply: Unsubscribed,
    message: 'Link retrieved',
    errors: linkErrors,
  },
  unsubscribe: {
    method: 'POST',
    path: '/v1/public/unsubscribe/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Unsubscribe by the link of a message',
    description:
      'The one-click target of messages (RFC 8058): a form body is accepted and ignored. Without fields, the address is unsubscribed from the topic of the message, or from all messages if it has none. Repeating it changes nothing.',
    params: withToken,
    body: z.object({
      topicId: id('topic').describe('The topic to unsubscribe from: that of the message, or a public one').optional(),
      all: z.boolean().describe('Whether to unsubscribe from all messages').optional(),
    }),
    ignoresOtherMedia: true,
    reply: Unsubscribed,
    message: 'You are unsubscribed',
    emits: [leadUnsubscribed, suppressionAdded],
    errors: linkErrors,
  },
  getPreferences: {
    method: 'GET',
    path: '/v1/public/preferences/:token',
    audience: 'public',
    summary: 'Retrieve which messages a person wants',
    params: withToken,
    reply: Preferences,
    message: 'Preferences retrieved',
    errors: linkErrors,
  },
  updatePreferences: {
    method: 'PATCH',
    path: '/v1/public/preferences/:token',
    audience: 'public',
    summary: 'Change which messages a person wants',
    description:
      'Topics and the pause apply to all known addresses of the person. Only public topics and that of the message can be chosen. Addresses that bounced, or that your team suppressed, stay suppressed.',
    params: withToken,
    body: z.object({
      topics: z.record(z.string().max(64), z.boolean()).describe('By the id of the topic').optional(),
      channels: Preferences.shape.channels.optional(),
      pauseUntil: timestamp().nullish().describe('At most a year ahead; null ends the pause'),
    }),
    reply: Preferences,
    message: 'Preferences saved',
    emits: [leadPreferencesChanged, leadUnsubscribed, leadResubscribed, suppressionAdded, suppressionRemoved],
    errors: linkErrors,
  },
  showUnsubscribePage: {
    method: 'GET',
    path: '/unsubscribe/:token',
    audience: 'public',
    summary: 'Show the page to unsubscribe',
    description: 'Returns an HTML page for the link of a message. Opening it changes nothing.',
    params: withToken,
    query: z.object({ all: flag().describe('Whether the button unsubscribes from all messages').optional() }),
    reply: media('text/html'),
    message: 'The HTML page',
    errors: linkErrors,
  },
  showPreferencesPage: {
    method: 'GET',
    path: '/preferences/:token',
    audience: 'public',
    summary: 'Show the page to choose which messages to get',
    description: 'Returns an HTML page for the link of a message. Opening it changes nothing.',
    params: withToken,
    reply: media('text/html'),
    message: 'The HTML page',
    errors: linkErrors,
  },
});
