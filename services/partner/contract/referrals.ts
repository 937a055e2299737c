import { event, id, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Code } from './referral-codes.ts';

export const referralStatuses = ['attributed', 'flagged'] as const;

export const ReferralStatus = z
  .enum(referralStatuses)
  .describe(
    'The status of the referral; `flagged` for a possible self-referral: the lead has the mailbox of the partner, or the name of the partner and the same e-mail domain. Flagged referrals earn no commission.',
  );

export const Referral = z.object({
  id: id('referral'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  leadId: id('lead'),
  code: Code.nullable().describe('The referral code of the lead'),
  status: ReferralStatus,
  externalId: text(255)
    .nullable()
    .meta({
      description: 'The id of the referral in your own system; a repeated id returns the existing referral',
      examples: ['web-10423'],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  createdAt: timestamp(),
});

export const referralAttributed = event('referral.attributed', {
  description: 'A lead is attributed to a partner',
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
    summary: 'Attribute a lead to a partner',
    description:
      'Identify the partner by `partnerId` or by a referral `code`. A lead can be referred by one partner only. Possible self-referrals are flagged and earn no commission: the lead has the mailbox of the partner (also with a +tag), or the name of the partner and the same e-mail domain. A repeated `externalId` returns the existing referral.',
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
      already_referred: [409, 'The lead is already referred by a partner'],
    },
  },
});
