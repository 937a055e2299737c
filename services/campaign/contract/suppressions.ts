import { event, flag, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const messageChannels = ['email', 'sms'] as const;
export const suppressionReasons = ['unsubscribe', 'hard_bounce', 'complaint', 'manual'] as const;

/** Maximum number of addresses in one check. */
export const checkedValuesMax = 1_000;
/** Maximum number of addresses in one import. */
export const importedValuesMax = 5_000;

export const MessageChannel = z.enum(messageChannels).meta({
  description: 'The channel of messages',
  examples: ['email'],
});
export const SuppressionReason = z.enum(suppressionReasons).meta({
  description: 'Why the address gets no messages',
  examples: ['unsubscribe'],
});
const SuppressionValue = text(320).meta({
  description:
    'An e-mail address, a domain (`@example.com`) for all its addresses, or for `sms` a phone number with country code',
  examples: ['ada@example.com'],
});
const Note = text(500).meta({ description: 'A note for your team', examples: ['Asked on the phone'] });
const OnlyTopic = id('topic').describe('The topic to which the suppression is limited; all messages without it');

export const Suppression = z.object({
  id: id('suppression'),
  channel: MessageChannel,
  value: SuppressionValue.nullable().describe('The address; null after the data of the person was erased'),
  reason: SuppressionReason,
  topicId: OnlyTopic.nullable(),
  note: Note.nullable(),
  createdBy: id('user').nullable().describe('The user who created the record'),
  createdAt: timestamp(),
});

const aboutSuppression = {
  target: 'suppression',
  // Without the address and the note, because events are kept after the data of a person is erased.
  record: Suppression.omit({ value: true, note: true }),
} as const;
const data = Suppression.pick({ channel: true, reason: true, topicId: true }).extend({
  suppressionId: id('suppression'),
});

export const suppressionAdded = event('suppression.added', {
  ...aboutSuppression,
  description: 'An address is suppressed: it gets no more messages',
  action: 'suppression.add',
  data,
});

export const suppressionRemoved = event('suppression.removed', {
  ...aboutSuppression,
  description: 'An address is no longer suppressed',
  action: 'suppression.remove',
  data: data.extend({ note: Note.nullable().describe('The reason for the removal') }),
});

const withId = z.object({ id: id('suppression') });
const values = (max: number) =>
  z
    .array(text(320))
    .min(1, { error: 'Must name at least one address' })
    .max(max, { error: `Must name at most ${max} addresses` })
    .meta({ description: 'The addresses', examples: [['ada@example.com']] });

/** Whether an address gets messages. */
export const CheckedAddress = z.object({
  value: z.string().meta({ description: 'The address as it was sent', examples: ['ada@example.com'] }),
  suppressed: z.boolean().meta({ description: 'Whether the address gets no messages', examples: [true] }),
  reason: z
    .enum([...suppressionReasons, 'paused'])
    .nullable()
    .meta({
      description: 'Why; `paused` if the person asked for a pause. Null for an address that gets messages.',
      examples: ['unsubscribe'],
    }),
});

export const suppressions = operations({
  createSuppression: {
    method: 'POST',
    path: '/v1/campaigns/suppressions',
    permission: 'campaigns:write',
    summary: 'Suppress an address',
    description:
      'The address gets no more messages of campaigns and workflows. The value is stored in lower case, and phone numbers without separators. If the address is already suppressed for the same reason and topic, the response is 200 with that suppression.',
    body: z.object({
      channel: MessageChannel,
      value: SuppressionValue,
      reason: SuppressionReason.default('manual'),
      topicId: OnlyTopic.nullish(),
      note: Note.nullish(),
    }),
    reply: Suppression,
    status: 201,
    mayExist: true,
    message: 'Address suppressed',
    emits: [suppressionAdded],
  },
  listSuppressions: {
    method: 'GET',
    path: '/v1/campaigns/suppressions',
    permission: 'campaigns:read',
    summary: 'List suppressions',
    description: '`value` finds exactly this address, also after its readable form was erased.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        channel: MessageChannel.optional(),
        reason: SuppressionReason.optional(),
        topicId: id('topic').optional(),
        value: SuppressionValue.optional(),
      }),
    reply: page(Suppression),
    message: 'Suppressions retrieved',
  },
  deleteSuppression: {
    method: 'DELETE',
    path: '/v1/campaigns/suppressions/:id',
    permission: 'campaigns:delete',
    summary: 'Remove a suppression',
    description:
      'The address gets messages again, unless another suppression applies to it. What a person decided, an unsubscribe or a complaint, is only removed with `confirm=true` and a `note` with the reason. The consent of a lead that an unsubscribe has denied stays denied until it is changed at the lead.',
    params: withId,
    query: z.object({
      confirm: flag().describe('Whether to remove an unsubscribe or a complaint').optional(),
      note: Note.optional().describe('The reason, which the audit log keeps'),
    }),
    reply: z.object({ id: id('suppression'), deleted: z.literal(true).describe('Always true') }),
    message: 'Suppression removed',
    emits: [suppressionRemoved],
    errors: {
      confirmation_required: [
        409,
        'The person asked for no more messages. Send confirm=true and a note with the reason to remove the suppression',
      ],
    },
  },
  checkSuppressions: {
    method: 'POST',
    path: '/v1/campaigns/suppressions/check',
    permission: 'campaigns:read',
    summary: 'Check addresses',
    description: 'Tells for each address, in request order, whether it gets messages of the topic. Changes nothing.',
    body: z.object({
      channel: MessageChannel,
      topicId: id('topic').nullish().describe('The topic of the message; without it only general suppressions count'),
      values: values(checkedValuesMax),
    }),
    reply: z.object({ results: z.array(CheckedAddress).describe('The addresses in request order') }),
    message: 'Addresses checked',
    emits: [],
  },
  importSuppressions: {
    method: 'POST',
    path: '/v1/campaigns/suppressions/imports',
    permission: 'campaigns:write',
    summary: 'Import suppressions',
    description:
      'Suppresses up to 5,000 addresses, such as those of your previous provider. Invalid addresses are reported and left out; the others are stored.',
    body: z.object({
      channel: MessageChannel,
      reason: SuppressionReason.default('manual'),
      topicId: OnlyTopic.nullish(),
      note: Note.nullish(),
      values: values(importedValuesMax),
    }),
    bodyMax: 2_000_000,
    reply: z.object({
      created: z.int().meta({ description: 'Addresses that are now suppressed', examples: [1] }),
      existing: z.int().meta({ description: 'Addresses that were suppressed already, or sent twice', examples: [0] }),
      invalid: z.int().meta({ description: 'Addresses that are not valid', examples: [0] }),
      errors: z
        .array(
          z.object({
            index: z.int().meta({ description: 'The position in `values`, from 0', examples: [3] }),
            message: z.string().meta({ description: 'What is wrong', examples: ['Must be a valid e-mail address'] }),
          }),
        )
        .meta({ description: 'The first 100 invalid addresses', examples: [[]] }),
    }),
    message: 'Suppressions imported',
    emits: [suppressionAdded],
  },
});
