import { event, id, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Code } from './referral-codes.ts';

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
    'Why the referral is flagged, or was before it was cleared: `same_person`, the lead has the mailbox of the partner or of one of its portal users, or the name of the partner and the same e-mail domain; `same_account`, the lead is a partner who is paid to the same account; `unconfirmed_form`, the code came by a form for a lead that existed, and nobody confirmed the address: anybody can send such a form',
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

export const ClickId = z
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
