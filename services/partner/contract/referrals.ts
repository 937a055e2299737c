import { event, id, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { oneOf } from './fields.ts';
import { Code } from './partners.ts';

export const referralStatuses = ['attributed', 'flagged'] as const;

export const Referral = z.object({
  id: id('referral'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  leadId: id('lead'),
  /** The referral code that the lead came with, if any. */
  code: Code.nullable(),
  /** flagged: the lead has the partner's mailbox, or the partner's name at the same domain; its deals earn nothing. */
  status: oneOf(referralStatuses),
  externalId: text(255).nullable(),
  createdBy: id('user').nullable(),
  createdAt: timestamp(),
});

export const referralAttributed = event('referral.attributed', {
  description: 'A lead is known to come from a partner',
  action: 'referral.attribute',
  target: 'referral',
  data: z.object({ referralId: id('referral'), partnerId: id('partner'), leadId: id('lead') }),
  record: Referral,
});

export const referrals = operations({
  createReferral: {
    method: 'POST',
    path: '/v1/partners/referrals',
    permission: 'partners:write',
    also: ['leads:read'],
    summary: 'Say which partner a lead comes from',
    description:
      'Name the partner by partnerId or by one of its codes. A lead comes from one partner; one with that partner’s own mailbox (also with a +tag), or with the partner’s name at the same domain, is flagged and earns nothing. The same externalId again answers the first referral.',
    body: z.object({
      partnerId: id('partner').nullish(),
      code: Code.nullish(),
      leadId: id('lead'),
      externalId: text(255).min(1, 'Must not be empty').nullish(),
    }),
    reply: Referral,
    status: 201,
    mayExist: true,
    message: 'Referral recorded',
    emits: [referralAttributed],
    errors: {
      partner_not_approved: [409, 'The partner is not approved'],
      already_referred: [409, 'The lead was referred already'],
    },
  },
});
