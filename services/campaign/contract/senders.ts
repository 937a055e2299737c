import { email, event, id, listQuery, name, operations, page, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** Maximum number of senders of a tenant. */
export const sendersMax = 200;

/**
 * The first day and the growth of a warm-up without own values: the schedule of Twilio SendGrid's automated IP warm-up,
 * which grows by 40 % a day (20, 28, 39, 55, 77, … messages an hour), with a first day of 50 messages.
 */
export const defaultWarmup = { start: 50, growthPercent: 40 } as const;

export const WarmupPlan = z.object({
  start: z
    .int()
    .min(1)
    .max(100_000)
    .default(defaultWarmup.start)
    .meta({ description: 'Messages on the first day', examples: [defaultWarmup.start] }),
  growthPercent: z
    .int()
    .min(1)
    .max(200)
    .default(defaultWarmup.growthPercent)
    .meta({
      description: 'How much the number grows each day, until it reaches `dailyCap`',
      examples: [defaultWarmup.growthPercent],
    }),
});

const DailyCap = z
  .int()
  .min(1)
  .max(10_000_000)
  .meta({ description: 'Maximum number of messages a day (UTC); the others wait for the next day', examples: [2_000] });
const ReplyTo = email().meta({
  description: 'Where replies go, instead of the From address',
  examples: ['team@example.com'],
});

export const Sender = z.object({
  id: id('sender'),
  name: name(100).meta({ description: 'The name that recipients see', examples: ['Ada of Example'] }),
  fromEmail: email().meta({
    description: 'The From address; its domain is one of your sending domains',
    examples: ['ada@example.com'],
  }),
  replyTo: ReplyTo.nullable(),
  dailyCap: DailyCap.nullable(),
  warmupPlan: WarmupPlan.nullable().describe('How the daily number grows in the beginning; null without a warm-up'),
  domainId: id('sending_domain').describe('The sending domain of the From address'),
  isVerified: z
    .boolean()
    .meta({ description: 'Whether its domain is verified; only then campaigns can use it', examples: [true] }),
  allowedToday: z
    .int()
    .nullable()
    .meta({ description: 'Messages that it may send today by cap and warm-up; null without a limit', examples: [137] }),
  sentToday: z.int().meta({ description: 'Messages that were counted today (UTC)', examples: [12] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const aboutSender = {
  target: 'sender',
  data: Sender.pick({ name: true, fromEmail: true }).extend({ senderId: id('sender') }),
  record: Sender.omit({ allowedToday: true, sentToday: true }),
} as const;

export const senderCreated = event('sender.created', {
  ...aboutSender,
  description: 'A sender is created',
  action: 'sender.create',
});
export const senderUpdated = event('sender.updated', {
  ...aboutSender,
  description: 'A sender is updated',
  action: 'sender.update',
});
export const senderDeleted = event('sender.deleted', {
  ...aboutSender,
  description: 'A sender is deleted',
  action: 'sender.delete',
});

const withId = z.object({ id: id('sender') });
const emailTaken = [409, 'Another sender has this address'] as const;

export const senders = operations({
  createSender: {
    method: 'POST',
    path: '/v1/campaigns/senders',
    permission: 'campaigns:write',
    summary: 'Create a sender',
    description:
      'Add the domain of the address first. A campaign with this sender can be activated once the domain is verified. A `warmupPlan` needs a `dailyCap`, at which it ends.',
    body: z.object({
      name: Sender.shape.name,
      fromEmail: Sender.shape.fromEmail,
      replyTo: ReplyTo.nullish(),
      dailyCap: DailyCap.nullish(),
      warmupPlan: WarmupPlan.nullish(),
    }),
    reply: Sender,
    status: 201,
    message: 'Sender created',
    emits: [senderCreated],
    errors: {
      email_taken: emailTaken,
      too_many_senders: [409, `A tenant has at most ${sendersMax} senders; delete one`],
    },
  },
  listSenders: {
    method: 'GET',
    path: '/v1/campaigns/senders',
    permission: 'campaigns:read',
    summary: 'List senders',
    description: '`search` covers the name and the address.',
    query: listQuery(['createdAt', 'name']).extend({ domainId: id('sending_domain').optional() }),
    reply: page(Sender),
    message: 'Senders retrieved',
  },
  getSender: {
    method: 'GET',
    path: '/v1/campaigns/senders/:id',
    permission: 'campaigns:read',
    summary: 'Retrieve a sender',
    params: withId,
    reply: Sender,
    message: 'Sender retrieved',
  },
  updateSender: {
    method: 'PATCH',
    path: '/v1/campaigns/senders/:id',
    permission: 'campaigns:write',
    summary: 'Update a sender',
    description: 'The address of a sender that a campaign uses cannot be changed. A new `warmupPlan` begins anew.',
    params: withId,
    body: z.object({
      name: Sender.shape.name.optional(),
      fromEmail: Sender.shape.fromEmail.optional(),
      replyTo: ReplyTo.nullish(),
      dailyCap: DailyCap.nullish(),
      warmupPlan: WarmupPlan.nullish(),
    }),
    reply: Sender,
    message: 'Sender updated',
    emits: [senderUpdated],
    errors: {
      email_taken: emailTaken,
      sender_in_use: [409, 'A campaign uses the sender; create another sender for the new address'],
    },
  },
  deleteSender: {
    method: 'DELETE',
    path: '/v1/campaigns/senders/:id',
    permission: 'campaigns:delete',
    summary: 'Delete a sender',
    params: withId,
    reply: z.object({ id: id('sender'), deleted: z.literal(true).describe('Always true') }),
    message: 'Sender deleted',
    emits: [senderDeleted],
    errors: { sender_in_use: [409, 'A campaign uses the sender; choose another one there first'] },
  },
});
