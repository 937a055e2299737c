import {
  currency,
  event,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { email, oneOf } from './fields.ts';

export const partnerTiers = ['bronze', 'silver', 'gold', 'platinum'] as const;
export const partnerStatuses = ['pending', 'approved', 'rejected', 'suspended', 'terminated'] as const;

export const PartnerTier = oneOf(partnerTiers).describe('The level of the partner in your program');
export const PartnerStatus = oneOf(partnerStatuses).describe('How far the registration has come');

/** A code by which leads are known to come from a partner; in upper case, however it is sent. */
export const Code = z
  .string()
  .regex(/^[A-Za-z0-9-]{4,32}$/, { error: 'Must be 4 to 32 letters, digits and dashes' })
  .overwrite((given) => given.toUpperCase())
  .meta({
    description: 'Referral code: 4 to 32 letters, digits and dashes; stored in upper case',
    examples: ['JOAN-2026'],
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
  status: PartnerStatus,
  allowedTransitions: z
    .array(PartnerStatus)
    .meta({ description: 'The statuses that this partner can change to now', examples: [['approved', 'rejected']] }),
  parentPartnerId: id('partner')
    .nullable()
    .meta({ description: 'The partner who recruited this one', examples: [null] }),
  customFields: freeForm(),
  approvedAt: timestamp()
    .nullable()
    .meta({ description: 'When the partner was approved', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

export const ReferralCode = z.object({
  id: id('referral_code'),
  code: Code,
  createdAt: timestamp(),
});

/** One partner in full: with what is gathered around the record. */
export const PartnerDetail = Partner.extend({
  referralCodes: z.array(ReferralCode).describe('The codes by which leads are attributed to the partner'),
  referralCount: z.int().meta({ description: 'The number of leads that the partner referred', examples: [3] }),
  childCount: z.int().meta({ description: 'The number of partners that this one recruited', examples: [0] }),
  balances: z
    .array(
      z.object({
        currency: currency(),
        amount: z.number().meta({ description: 'Amount in major units of the currency', examples: [240] }),
      }),
    )
    .describe('What was earned and not paid yet, per currency'),
});

const withId = z.object({ id: id('partner') });
const examplePartnerId = 'R2kQj1FfnErWTVph';

export const partnerRegistered = event('partner.registered', {
  group: 'partners',
  readPermission: 'partners:read',
  description: 'A new partner registers',
  action: 'partner.register',
  target: 'partner',
  data: z.object({ partnerId: id('partner'), company: text(200).nullable() }),
  record: Partner,
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
  example: { partnerId: examplePartnerId },
});

const codeTaken = { code_taken: [409, 'The referral code is in use'] } as const;

export const partners = operations({
  createPartner: {
    method: 'POST',
    path: '/v1/partners',
    permission: 'partners:write',
    summary: 'Register a partner',
    description:
      'The partner is pending until approved, and bronze unless `tier` says otherwise. A `referralCode` becomes usable with the approval.',
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
    emits: [partnerRegistered],
    errors: {
      email_taken: [409, 'Another partner has this e-mail address'],
      parent_not_approved: [409, 'The parent partner is not approved'],
      ...codeTaken,
    },
  },
  listPartners: {
    method: 'GET',
    path: '/v1/partners',
    permission: 'partners:read',
    summary: 'List partners',
    description: '`search` covers e-mail address, first and last name, and company.',
    query: listQuery(['createdAt', 'updatedAt', 'lastName', 'email']).extend({
      status: PartnerStatus.optional(),
      tier: PartnerTier.optional(),
      parentPartnerId: id('partner').optional(),
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
    description: 'Includes the referral codes and, per currency, what the partner has earned and was not paid yet.',
    params: withId,
    reply: PartnerDetail,
    message: 'Partner retrieved',
  },
  approvePartner: {
    method: 'POST',
    path: '/v1/partners/:id/approve',
    permission: 'partners:manage',
    summary: 'Approve a partner',
    description: 'Approves a pending partner. A partner without a referral code gets one.',
    params: withId,
    body: z.object({ tier: PartnerTier.optional() }),
    reply: Partner,
    example: {
      status: 'approved',
      allowedTransitions: ['suspended', 'terminated'],
      approvedAt: '2026-03-04T16:40:00.000Z',
    },
    message: 'Partner approved',
    emits: [partnerApproved],
    errors: { transition_refused: [409, 'The partner cannot move to this status'] },
  },
});
