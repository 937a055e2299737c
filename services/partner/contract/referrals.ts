import { event, id, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { oneOf } from './fields.ts';
import { Code } from './partners.ts';

export const referralStatuses = ['attributed', 'flagged'] as const;

/** Whether a referral counts. */
export const ReferralStatus = oneOf(referralStatuses).describe(
  '`flagged` if the lead has the partner’s mailbox, or the partner’s name at the same domain: its deals earn nothing',
);

export const Referral = z.object({
  id: id('referral'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  leadId: id('lead'),
  code: Code.nullable().describe('The referral code that the lead came with'),
  status: ReferralStatus,
  externalId: text(255)
    .nullable()
    .meta({
      description: 'The id of the referral in a system of yours; sent again, it returns the first referral',
      examples: ['web-10423'],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
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
    summary: 'Attribute a lead to a partner',
    description:
      'Name the partner by `partnerId` or by one of its codes. A lead belongs to one partner. A lead with the mailbox of the partner (also with a +tag), or with the name of the partner at the same domain, is flagged and earns nothing. A repeated `externalId` returns the first referral.',
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
