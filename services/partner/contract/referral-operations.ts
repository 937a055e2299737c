import {
  email,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  requiredText,
  sharedErrors,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { commissionCancelled, commissionEarned, commissionReleased } from './commissions.ts';
import { Code, codeErrors } from './referral-codes.ts';
import {
  ClickId,
  occurredYearsMax,
  Referral,
  ReferralConflict,
  ReferralSource,
  ReferralStatus,
  referralAttributed,
  referralCleared,
  referralReassigned,
  referralVoided,
} from './referrals.ts';

const withId = z.object({ id: id('referral') });
const ofPartner = z.object({ id: id('partner') });
const reason = requiredText(500).meta({ description: 'The reason, for the audit log', examples: ['Wrong partner'] });
const paid = {
  commission_paid: [409, 'A commission for a deal of the lead is paid; claw it back first'],
  payout_in_progress: [409, 'A payout is collecting a commission for a deal of the lead; repeat the request'],
} as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;
const earns = [commissionEarned, commissionCancelled] as const;

const listed = listQuery(['occurredAt', 'createdAt'])
  .omit({ search: true, createdFrom: true, createdTo: true })
  .extend({
    status: ReferralStatus.optional(),
    source: ReferralSource.optional(),
    from: timestamp().describe('Return only referrals that occurred at this time or later').optional(),
    to: timestamp().describe('Return only referrals that occurred at this time or earlier').optional(),
  });

export const referrals = operations({
  createReferral: {
    method: 'POST',
    path: '/v1/partners/referrals',
    permission: 'partners:write',
    also: ['leads:read', { permission: 'leads:write', for: 'lead' }],
    summary: 'Attribute a lead to a partner',
    description: `Identify the partner by \`partnerId\`, by a referral \`code\`, or by the \`clickId\` that a referral link adds to the address of the landing page. Send the \`leadId\`, or a \`lead\`, which is created unless the tenant has a lead with the address.

A lead has one partner; the last touch wins. A lead moves to the partner of a later touch (\`occurredAt\`, by default the time of the click, else now) if the touch is within the \`attributionDays\` of the plan for won deals that the partner of the touch has, its own or the default one, no deal of the lead was won yet, and the lead does not seem to be the partner. Otherwise the lead stays, and the answer is 409. What loses is in \`GET /v1/partners/:id/referral-conflicts\`. A click that is older attributes nothing. Leads that get a code in another way, such as by a form, follow the same rule, with one exception: anybody can send a form with the address of somebody else. So a form for a lead that existed takes it over only if the person confirmed the address (\`doubleOptIn\`); without that, a lead without a partner is flagged. The contact of an approved deal registration can be attributed to its partner only, while the registration is protected.

Possible self-referrals are flagged and earn no commission until they are cleared: the lead has the mailbox of the partner (also with a +tag), or the name of the partner and the same e-mail domain, or it is a partner, or a portal user of one, that is paid to the same account, also when that account is set later: its unpaid commissions are on hold then, until the referral is cleared. A repeated \`externalId\` returns the existing referral.`,
    body: z.object({
      partnerId: id('partner').nullish(),
      code: Code.nullish(),
      clickId: ClickId.nullish(),
      leadId: id('lead').nullish(),
      lead: z
        .object({
          email: email().meta({ examples: ['ada@example.com'] }),
          firstName: name()
            .optional()
            .meta({ examples: ['Ada'] }),
          lastName: name()
            .optional()
            .meta({ examples: ['Lovelace'] }),
          phone: phone().optional(),
        })
        .nullish()
        .describe(
          'The lead, if it may not exist yet. An existing lead keeps its values, and gets those that it lacks.',
        ),
      externalId: text(255).min(1, 'Must not be empty').nullish(),
      occurredAt: timestamp()
        .nullish()
        .describe(`When the partner referred the lead, at most ${occurredYearsMax} years ago; not with \`clickId\``),
    }),
    reply: Referral,
    status: 201,
    mayExist: true,
    message: 'Referral recorded',
    emits: [referralAttributed, ...earns],
    errors: {
      ...codeErrors,
      already_referred: [409, 'The lead is already referred by a partner'],
    },
  },
  listPartnerReferrals: {
    method: 'GET',
    path: '/v1/partners/:id/referrals',
    permission: 'partners:read',
    summary: 'List the referrals of a partner',
    params: ofPartner,
    query: listed,
    reply: page(Referral),
    message: 'Referrals retrieved',
  },
  listReferrals: {
    method: 'GET',
    path: '/v1/partners/referrals',
    permission: 'partners:read',
    summary: 'List referrals',
    description: 'Lists the referrals of all partners.',
    query: listed.extend({ partnerId: id('partner').optional() }),
    reply: page(Referral),
    message: 'Referrals retrieved',
  },
  listReferralConflicts: {
    method: 'GET',
    path: '/v1/partners/:id/referral-conflicts',
    permission: 'partners:read',
    summary: 'List the leads that a partner lost to others',
    description: 'Attempts that failed, and referrals that went to another partner.',
    params: ofPartner,
    query: listQuery(['createdAt', 'occurredAt']).omit({ search: true }),
    reply: page(ReferralConflict),
    message: 'Conflicts retrieved',
  },
  reassignReferral: {
    method: 'POST',
    path: '/v1/partners/referrals/:id/reassign',
    permission: 'partners:manage',
    summary: 'Give a referral to another partner',
    description:
      'Cancels the unpaid commissions of the deals of the lead, and earns those of the new partner. A flagged referral is cleared with it.',
    params: withId,
    body: z.object({ partnerId: id('partner'), reason }),
    reply: Referral,
    message: 'Referral reassigned',
    emits: [referralReassigned, ...earns],
    errors: { partner_not_approved: codeErrors.partner_not_approved, ...paid, ...refused },
  },
  clearReferral: {
    method: 'POST',
    path: '/v1/partners/referrals/:id/clear',
    permission: 'partners:manage',
    summary: 'Clear a flagged referral',
    description:
      'The deals of the lead that were won since earn their commissions, and the commissions that the flag put on hold are released.',
    params: withId,
    body: z.object({ reason: reason.nullish() }),
    reply: Referral,
    message: 'Referral cleared',
    emits: [referralCleared, commissionReleased, ...earns],
    errors: refused,
  },
  voidReferral: {
    method: 'POST',
    path: '/v1/partners/referrals/:id/void',
    permission: 'partners:manage',
    summary: 'Void a referral',
    description:
      'Cancels the unpaid commissions of the deals of the lead. Another partner gets the lead by a later touch.',
    params: withId,
    body: z.object({ reason }),
    reply: Referral,
    example: {
      status: 'void',
      allowedTransitions: [],
      voidReason: 'Wrong partner',
      voidedAt: '2026-03-04T16:40:00.000Z',
    },
    message: 'Referral voided',
    emits: [referralVoided, ...earns],
    errors: { ...paid, ...refused },
  },
});
