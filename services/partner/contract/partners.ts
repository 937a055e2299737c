import {
  currency,
  email,
  event,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { portalMailLimit, portalUserCreated, portalUserInvited } from './portal-users.ts';
import { Code, ReferralCode } from './referral-codes.ts';

export const partnerTiers = ['bronze', 'silver', 'gold', 'platinum'] as const;
export const partnerStatuses = ['pending', 'approved', 'rejected', 'suspended', 'terminated'] as const;

export const PartnerTier = z.enum(partnerTiers).describe('The tier of the partner');
export const PartnerStatus = z.enum(partnerStatuses).describe('The status of the partner');

export const tierCauses = ['registration', 'approval', 'manual', 'evaluation'] as const;
export const TierCause = z
  .enum(tierCauses)
  .describe('What set the tier: the registration, the approval, a change by a person, or an evaluation');

export const partnerStates = stateTable<(typeof partnerStatuses)[number]>('Partner', {
  created: { pending: 'createPartner' },
  changes: {
    pending: { approved: 'approvePartner', rejected: 'rejectPartner' },
    approved: { suspended: 'suspendPartner', terminated: 'terminatePartner' },
    suspended: { approved: 'reactivatePartner', terminated: 'terminatePartner' },
    rejected: { pending: 'reapplyPartner' },
    terminated: {},
  },
});

export const Partner = z.object({
  id: id('partner'),
  tenantId: id('tenant'),
  email: email().meta({ examples: ['joan@example.com'] }),
  firstName: name().meta({ examples: ['Joan'] }),
  lastName: name().meta({ examples: ['Clarke'] }),
  phone: phone().nullable(),
  company: text(200)
    .nullable()
    .meta({ examples: ['Clarke Consulting'] }),
  tier: PartnerTier,
  tierLocked: z
    .boolean()
    .meta({ description: 'Whether only people change the tier; evaluations do not', examples: [false] }),
  tierGraceUntil: timestamp()
    .nullable()
    .meta({
      description:
        'When the partner loses the tier, unless it meets the requirements again; null while nothing is missing',
      examples: [null],
    }),
  status: PartnerStatus,
  allowedTransitions: z.array(PartnerStatus).meta({
    description: 'The statuses that this partner can currently change to',
    examples: [['approved', 'rejected']],
  }),
  statusReason: text(200)
    .nullable()
    .meta({ description: 'Why the partner was rejected, suspended or terminated; null otherwise', examples: [null] }),
  statusChangedAt: timestamp()
    .nullable()
    .meta({ description: 'When the status last changed; null if it never did', examples: [null] }),
  termsVersion: text(100)
    .nullable()
    .meta({
      description: 'The version of the terms that the partner accepted; null if a user registered the partner',
      examples: ['2026-01'],
    }),
  termsAcceptedAt: timestamp()
    .nullable()
    .meta({ description: 'When the partner accepted the terms', examples: ['2026-03-02T09:15:00.000Z'] }),
  emailConfirmedAt: timestamp()
    .nullable()
    .meta({
      description:
        'When somebody used a link that was sent to the e-mail address; null before, as anybody can register any address',
      examples: [null],
    }),
  parentPartnerId: id('partner')
    .nullable()
    .meta({ description: 'The partner who recruited this partner', examples: [null] }),
  planId: id('commission_plan')
    .nullable()
    .meta({ description: 'The commission plan of this partner; null for the default plans', examples: [null] }),
  customFields: freeForm(),
  approvedAt: timestamp()
    .nullable()
    .meta({ description: 'When the partner was approved', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A note is for managers only, so it is in no event, no list and no copy of another service. */
export const StatusNote = text(2_000).nullable();

/** A partner with referral codes, counts and balances. */
export const PartnerDetail = Partner.extend({
  statusNote: StatusNote.meta({
    description: 'The note about the status; null without the permission `partners:manage`',
    examples: [null],
  }),
  referralCodes: z.array(ReferralCode).describe('The codes that attribute leads to the partner'),
  referralCount: z
    .int()
    .meta({ description: 'The number of leads referred by the partner, without void referrals', examples: [3] }),
  childCount: z.int().meta({ description: 'The number of partners recruited by this partner', examples: [0] }),
  balances: z
    .array(
      z.object({
        currency: currency(),
        amount: z.number().meta({ description: 'Amount in major units of the currency', examples: [240] }),
      }),
    )
    .describe('The earned but unpaid commissions, per currency'),
});

const withId = z.object({ id: id('partner') });
const examplePartnerId = 'R2kQj1FfnErWTVph';

// Events of the release before have no lock.
const whenMissing = { record: { tierLocked: false } };

export const partnerRegistered = event('partner.registered', {
  group: 'partners',
  readPermission: 'partners:read',
  description: 'A new partner registers',
  action: 'partner.register',
  target: 'partner',
  data: z.object({ partnerId: id('partner'), company: text(200).nullable() }),
  record: Partner,
  whenMissing,
  example: { partnerId: examplePartnerId, company: 'Lovelace Consulting' },
});

export const partnerApproved = event('partner.approved', {
  group: 'partners',
  readPermission: 'partners:read',
  description: 'A partner is approved for the program',
  action: 'partner.approve',
  target: 'partner',
  data: z.object({ partnerId: id('partner') }),
  record: Partner,
  whenMissing,
  example: { partnerId: examplePartnerId },
});

export const partnerUpdated = event('partner.updated', {
  description: 'A partner is updated',
  action: 'partner.update',
  target: 'partner',
  data: z.object({ partnerId: id('partner') }),
  record: Partner,
});

export const partnerTierChanged = event('partner.tier_changed', {
  description: 'A partner gets another tier',
  action: 'partner.change_tier',
  target: 'partner',
  data: z.object({ partnerId: id('partner'), from: PartnerTier, to: PartnerTier, cause: TierCause }),
  record: Partner,
});

const codeTaken = { code_taken: [409, 'Another partner has this referral code; use a different one'] } as const;

export const partners = operations({
  createPartner: {
    method: 'POST',
    path: '/v1/partners',
    permission: 'partners:write',
    summary: 'Register a partner',
    description:
      'The partner is pending until it is approved, or approved at once if the active addon Partner Program says so (`autoApprove`). `tier` defaults to `bronze`. The `referralCode` can be used after the partner is approved.',
    body: Partner.pick({ email: true, firstName: true, lastName: true }).extend({
      phone: phone().nullish(),
      company: text(200).nullish(),
      tier: PartnerTier.optional(),
      parentPartnerId: id('partner').nullish(),
      referralCode: Code.nullish(),
      customFields: freeForm().optional(),
    }),
    reply: Partner,
    status: 201,
    message: 'Partner registered',
    emits: [partnerRegistered, partnerApproved],
    errors: {
      email_taken: [409, 'Another partner has this e-mail address; use a different one'],
      parent_not_approved: [409, 'The parent partner is not approved'],
      ...codeTaken,
    },
  },
  listPartners: {
    method: 'GET',
    path: '/v1/partners',
    permission: 'partners:read',
    summary: 'List partners',
    description: '`search` covers the e-mail address, first name, last name and company.',
    query: listQuery(['createdAt', 'updatedAt', 'lastName', 'email']).extend({
      status: PartnerStatus.optional(),
      tier: PartnerTier.optional(),
      parentPartnerId: id('partner').optional(),
      planId: id('commission_plan').optional(),
      joinedFrom: timestamp().describe('Return only partners approved at this time or later').optional(),
      joinedTo: timestamp().describe('Return only partners approved at this time or earlier').optional(),
    }),
    reply: page(Partner),
    message: 'Partners retrieved',
  },
  getPartner: {
    method: 'GET',
    path: '/v1/partners/:id',
    permission: 'partners:read',
    summary: 'Retrieve a partner',
    description: 'Includes the referral codes and the unpaid balance per currency.',
    params: withId,
    reply: PartnerDetail,
    message: 'Partner retrieved',
  },
  updatePartner: {
    method: 'PATCH',
    path: '/v1/partners/:id',
    permission: 'partners:write',
    also: [
      { permission: 'partners:manage', for: 'tier' },
      { permission: 'partners:manage', for: 'tierLocked' },
      { permission: 'partners:manage', for: 'planId' },
    ],
    summary: 'Update a partner',
    description:
      'Changes the given fields; `customFields` is replaced as a whole. A new `tier` ends the grace period. The next evaluation can change it again, unless `tierLocked` is true.',
    params: withId,
    body: Partner.pick({ firstName: true, lastName: true, tier: true, tierLocked: true, planId: true })
      .extend({ phone: phone().nullable(), company: text(200).nullable(), customFields: freeForm() })
      .partial(),
    reply: Partner,
    message: 'Partner updated',
    emits: [partnerUpdated, partnerTierChanged],
  },
  approvePartner: {
    method: 'POST',
    path: '/v1/partners/:id/approve',
    permission: 'partners:manage',
    summary: 'Approve a partner',
    description:
      'Approves a pending partner, and generates a referral code if the partner has none. `sendInvite` invites the address of the partner to the portal as the owner, unless the partner has an active owner. A password that was chosen with the application does not sign in then, until a link of a message replaces it, unless the address is confirmed (`emailConfirmedAt`). If the address has applied with two passwords, neither signs in, and the owner is invited in any case. The address and the owners with a password are mailed that the partner is approved and how to sign in; an invitation is that message itself. The tier is evaluated afterwards: if the partner does not meet its requirements, the grace period begins, unless `tierLocked` is set.',
    params: withId,
    body: z.object({
      tier: PartnerTier.optional(),
      planId: id('commission_plan').optional(),
      sendInvite: z
        .boolean()
        .default(false)
        .meta({
          description: 'Whether to invite the address of the partner to the portal as its owner',
          examples: [true],
        }),
    }),
    reply: Partner,
    example: {
      status: 'approved',
      allowedTransitions: ['suspended', 'terminated'],
      approvedAt: '2026-03-04T16:40:00.000Z',
    },
    message: 'Partner approved',
    emits: [partnerApproved, partnerTierChanged, portalUserCreated, portalUserInvited],
    errors: {
      transition_refused: sharedErrors.transition_refused,
      email_taken: [409, 'A portal user of another partner has the e-mail address; approve without `sendInvite`'],
      ...portalMailLimit,
    },
  },
});
