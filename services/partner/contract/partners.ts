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

export const PartnerTier = oneOf(partnerTiers);
const PartnerStatus = oneOf(partnerStatuses);

/** A code by which leads are known to come from a partner; in upper case, however it is sent. */
export const Code = z
  .string()
  .regex(/^[A-Za-z0-9-]{4,32}$/, { error: 'Must be 4 to 32 letters, digits and dashes' })
  .overwrite((given) => given.toUpperCase());

export const Partner = z.object({
  id: id('partner'),
  tenantId: id('tenant'),
  email: email(),
  firstName: name(),
  lastName: name(),
  phone: phone().nullable(),
  company: text(200).nullable(),
  tier: PartnerTier,
  status: PartnerStatus,
  /** The statuses that this partner may move to now. */
  allowedTransitions: z.array(PartnerStatus),
  parentPartnerId: id('partner').nullable(),
  customFields: freeForm(),
  approvedAt: timestamp().nullable(),
  createdBy: id('user').nullable(),
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
  referralCodes: z.array(ReferralCode),
  referralCount: z.int(),
  childCount: z.int(),
  /** What was earned and not paid yet, in each currency there is. */
  balances: z.array(z.object({ currency: currency(), amount: z.number() })),
});

const withId = z.object({ id: id('partner') });
const examplePartnerId = 'Wq8ZtR3mKx61LdVb';

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
      'The partner is pending until approved; without a tier it is bronze. A referralCode given here becomes usable with the approval.',
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
    description: '`search` looks into e-mail address, first and last name, and company.',
    query: listQuery(['createdAt', 'updatedAt', 'lastName', 'email']).extend({
      status: PartnerStatus.optional(),
      tier: PartnerTier.optional(),
      parentPartnerId: id('partner').optional(),
      joinedFrom: timestamp().describe('Approved at this moment or later').optional(),
      joinedTo: timestamp().describe('Approved at this moment or earlier').optional(),
    }),
    reply: page(Partner),
    message: 'Partners retrieved',
  },
  getPartner: {
    method: 'GET',
    path: '/v1/partners/:id',
    permission: 'partners:read',
    summary: 'Retrieve a partner',
    description: 'With its referral codes and, in each currency, what it has earned and was not paid yet.',
    params: withId,
    reply: PartnerDetail,
    message: 'Partner retrieved',
  },
  approvePartner: {
    method: 'POST',
    path: '/v1/partners/:id/approve',
    permission: 'partners:manage',
    summary: 'Approve a partner',
    description: 'Only a pending one. It gets a referral code unless it has one.',
    params: withId,
    body: z.object({ tier: PartnerTier.optional() }),
    reply: Partner,
    message: 'Partner approved',
    emits: [partnerApproved],
    errors: { transition_refused: [409, 'The partner cannot move to this status'] },
  },
});
