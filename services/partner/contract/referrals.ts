import {
  email,
  event,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  requiredText,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { commissionCancelled, commissionEarned, commissionReleased } from './commissions.ts';
import { Code, codeErrors } from './referral-codes.ts';

/** How many years `occurredAt` may be in the past. */
export const occurredYearsMax = 10;

export const referralStatuses = ['attributed', 'flagged', 'void'] as const;
export const referralSources = ['link', 'code', 'form', 'manual'] as const;
/** Why a referral is flagged. */
export const flagReasons = ['same_person', 'same_account', 'unconfirmed_form'] as const;
export const conflictCauses = [
  'later_touch',
  'reassigned',
  'earlier_touch',
  'outside_window',
  'self_referral',
  'unconfirmed_form',
  'deal_registered',
  'deal_won',
] as const;

export const ReferralStatus = z
  .enum(referralStatuses)
  .describe(
    'The status of the referral; `flagged` for one that somebody has to check, as `flagReason` says. Flagged and void referrals earn no commission.',
  );

export const ReferralSource = z
  .enum(referralSources)
  .describe(
    'How the lead came: by a click on a link, with a code, with a code in a form on the web, or by a person who named the partner',
  );

export const FlagReason = z
  .enum(flagReasons)
  .describe(
    'Why the referral is flagged: `same_person`, the lead has the mailbox of the partner or of one of its portal users, or the name of the partner and the same e-mail domain; `same_account`, the lead is a partner who is paid to the same account; `unconfirmed_form`, the code came by a form for a lead that existed, and nobody confirmed the address: anybody can send such a form',
  );

export const ConflictCause = z
  .enum(conflictCauses)
  .describe(
    'Why the partner does not have the lead: `later_touch` and `reassigned` took it from the partner. The other attempts failed: `earlier_touch` and `outside_window` because of their time, `self_referral` because the lead seems to be the partner, `unconfirmed_form` because anybody could have sent the form, `deal_registered` because the lead comes from a deal registration that is protected, `deal_won` because a deal of the lead was won before.',
  );

export const referralStates = stateTable<(typeof referralStatuses)[number]>('Referral', {
  created: { attributed: 'createReferral', flagged: 'on-lead-created' },
  changes: {
    attributed: { void: 'voidReferral' },
    flagged: { attributed: 'clearReferral', void: 'voidReferral' },
    void: {},
  },
  automatic: {
    // The lead and the partner are paid to the same account since.
    attributed: { flagged: 'flag-referrals.job' },
    // Another partner refers the lead later.
    void: { attributed: 'createReferral', flagged: 'createReferral' },
  },
});

const ClickId = z
  .string()
  .max(64, 'Must be at most 64 characters')
  .meta({
    description: 'The click on a referral link: `clickId` in the address of the landing page',
    examples: ['k3Jx0pT5Qe2mVb8sYc1dZA'],
  });

export const Referral = z.object({
  id: id('referral'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  leadId: id('lead'),
  code: Code.nullable().describe('The referral code of the lead'),
  clickId: ClickId.nullable(),
  source: ReferralSource,
  status: ReferralStatus,
  allowedTransitions: z
    .array(ReferralStatus)
    .meta({ description: 'The statuses that this referral can currently change to', examples: [['void']] }),
  flagReason: FlagReason.nullable().meta({ examples: [null] }),
  occurredAt: timestamp().describe('When the partner referred the lead. Deals that were won earlier earn nothing.'),
  voidReason: text(500)
    .nullable()
    .meta({ description: 'Why the referral is void', examples: [null] }),
  voidedAt: timestamp()
    .nullable()
    .meta({ description: 'When the referral became void', examples: [null] }),
  externalId: text(255)
    .nullable()
    .meta({
      description: 'The id of the referral in your own system; a repeated id returns the existing referral',
      examples: ['web-10423'],
    }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** An attempt of a partner to get a lead, or a referral, that another partner has won. */
export const ReferralConflict = z.object({
  id: id('referral_conflict'),
  partnerId: id('partner'),
  winnerPartnerId: id('partner').describe('The partner who had the lead afterwards'),
  leadId: id('lead'),
  code: Code.nullable().describe('The referral code of the attempt'),
  clickId: ClickId.nullable(),
  source: ReferralSource,
  cause: ConflictCause.meta({ examples: ['later_touch'] }),
  occurredAt: timestamp().describe('When the partner referred the lead'),
  createdAt: timestamp(),
});

// Times are absent in events of the release before.
const record = Referral.extend({
  occurredAt: Referral.shape.occurredAt.nullable(),
  updatedAt: Referral.shape.updatedAt.nullable(),
  flagReason: Referral.shape.flagReason.optional(),
});
const about = { referralId: id('referral'), partnerId: id('partner'), leadId: id('lead') };

export const referralAttributed = event('referral.attributed', {
  description: 'A lead is attributed to a partner',
  action: 'referral.attribute',
  target: 'referral',
  data: z.object(about),
  record,
  whenMissing: { record: { source: 'manual', allowedTransitions: [], version: 1 } },
});

export const referralReassigned = event('referral.reassigned', {
  description: 'A referral gets another partner',
  action: 'referral.reassign',
  target: 'referral',
  data: z.object({ ...about, previousPartnerId: id('partner'), reason: text(500) }),
  record,
});

export const referralFlagged = event('referral.flagged', {
  description: 'A referral is flagged, because the lead is paid to the same account as the partner',
  action: 'referral.flag',
  target: 'referral',
  data: z.object(about),
  record,
});

export const referralCleared = event('referral.cleared', {
  description: 'A flagged referral is cleared',
  action: 'referral.clear',
  target: 'referral',
  data: z.object({ ...about, reason: text(500).nullable() }),
  record,
});

export const referralVoided = event('referral.voided', {
  description: 'A referral becomes void',
  action: 'referral.void',
  target: 'referral',
  data: z.object({ ...about, reason: text(500) }),
  record,
});

const withId = z.object({ id: id('referral') });
const ofPartner = z.object({ id: id('partner') });
const reason = requiredText(500).meta({ description: 'The reason, for the audit log', examples: ['Wrong partner'] });
const paid = {
  commission_paid: [409, 'A commission for a deal of the lead is paid; claw it back first'],
  payout_in_progress: [409, 'A payout is collecting a commission for a deal of the lead; repeat the request'],
} as const;
const refused = { transition_refused: sharedErrors.transition_refused } as const;
const earns = [commissionEarned, commissionCancelled] as const;

export const referrals = operations({
  createReferral: {
    method: 'POST',
    path: '/v1/partners/referrals',
    permission: 'partners:write',
    also: ['leads:read', { permission: 'leads:write', for: 'lead' }],
    summary: 'Attribute a lead to a partner',
    description: `Identify the partner by \`partnerId\`, by a referral \`code\`, or by the \`clickId\` that a referral link adds to the address of the landing page. Send the \`leadId\`, or a \`lead\`, which is created unless the tenant has a lead with the address.

A lead has one partner; the last touch wins. A lead moves to the partner of a later touch (\`occurredAt\`, by default the time of the click, else now) if the touch is within the \`attributionDays\` of the plan for won deals that the partner of the touch has, its own or the default one, no deal of the lead was won yet, and the lead does not seem to be the partner. Otherwise the lead stays, and the answer is 409. What loses is in \`GET /v1/partners/:id/referral-conflicts\`. A click that is older attributes nothing. Leads that get a code in another way, such as by a form, follow the same rule, with one exception: anybody can send a form with the address of somebody else. So a form for a lead that existed takes it over only if the person confirmed the address (\`doubleOptIn\`); without that, a lead without a partner is flagged. A lead that was converted from a deal registration stays with its partner while the registration is protected.

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
    query: listQuery(['occurredAt', 'createdAt'])
      .omit({ search: true, createdFrom: true, createdTo: true })
      .extend({
        status: ReferralStatus.optional(),
        source: ReferralSource.optional(),
        from: timestamp().describe('Return only referrals that occurred at this time or later').optional(),
        to: timestamp().describe('Return only referrals that occurred at this time or earlier').optional(),
      }),
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
