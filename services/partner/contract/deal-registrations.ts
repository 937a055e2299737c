import {
  amount,
  currency,
  domain,
  email,
  event,
  id,
  listQuery,
  name,
  phone,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';

export const dealRegistrationStatuses = [
  'draft',
  'submitted',
  'approved',
  'rejected',
  'withdrawn',
  'converted',
  'expired',
] as const;

/** `open` is the most drafts and submitted registrations of a partner; `undecidedDays` is how long a submitted one protects. */
export const dealRegistrationLimits = { open: 100, undecidedDays: 30 } as const;

export const DealRegistrationStatus = z.enum(dealRegistrationStatuses).describe('The status of the registration');

export const dealRegistrationStates = stateTable<(typeof dealRegistrationStatuses)[number]>('DealRegistration', {
  created: { draft: 'createDealRegistration' },
  changes: {
    draft: { submitted: 'submitDealRegistration', withdrawn: 'withdrawDealRegistration' },
    submitted: {
      approved: 'approveDealRegistration',
      rejected: 'rejectDealRegistration',
      withdrawn: 'withdrawDealRegistration',
    },
    approved: { converted: 'convertDealRegistration', withdrawn: 'withdrawDealRegistration' },
    rejected: {},
    withdrawn: {},
    converted: {},
    expired: {},
  },
  automatic: { approved: { converted: 'expire-deal-registration.job', expired: 'expire-deal-registration.job' } },
});

/** The person at the company. */
export const DealContact = z.object({
  email: email().meta({ examples: ['ada@example.com'] }),
  firstName: name().meta({ examples: ['Ada'] }),
  lastName: name().meta({ examples: ['Lovelace'] }),
  phone: phone().nullable(),
});

const Value = amount().meta({ description: 'The expected value of the deal, in major units of the currency' });
const ExpectedCloseAt = timestamp().meta({
  description: 'When the deal is expected to close',
  examples: ['2027-06-30T00:00:00.000Z'],
});
const Notes = text(5_000).meta({ description: 'Notes about the deal', examples: ['Two machines, later four'] });
const Reason = text(500).meta({ description: 'Why it was rejected or withdrawn', examples: ['A customer already'] });

/** A deal that a partner works on, and that is protected from other partners while it is approved, or submitted for at most 30 days. */
export const DealRegistration = z.object({
  id: id('deal_registration'),
  tenantId: id('tenant'),
  partnerId: id('partner'),
  company: name(200).meta({ description: 'The company that the deal is about', examples: ['Analytical Engines Ltd'] }),
  companyDomain: domain().nullable().meta({ description: 'The domain of the company' }),
  contact: DealContact.describe('The person at the company'),
  value: Value.nullable(),
  currency: currency().nullable(),
  expectedCloseAt: ExpectedCloseAt.nullable(),
  notes: Notes.nullable(),
  status: DealRegistrationStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z.array(DealRegistrationStatus).meta({
    description: 'The statuses that this registration can currently change to',
    examples: [['submitted', 'withdrawn']],
  }),
  reason: Reason.nullable().meta({ examples: [null] }),
  protectedUntil: timestamp()
    .nullable()
    .meta({
      description: `Until when no other partner can register the company; null before the approval, when it is protected for ${dealRegistrationLimits.undecidedDays} days from \`submittedAt\` on`,
      examples: [null],
    }),
  leadId: id('lead')
    .nullable()
    .meta({ description: 'The lead of the conversion, which may have existed before', examples: [null] }),
  opportunityId: id('opportunity')
    .nullable()
    .meta({ description: 'The opportunity that the conversion created', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record; null in the portal'),
  submittedAt: timestamp()
    .nullable()
    .meta({ description: 'When it was submitted', examples: [null] }),
  decidedAt: timestamp()
    .nullable()
    .meta({ description: 'When it was approved or rejected', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A registration with those of other partners that protect the same company. */
export const DealRegistrationDetail = DealRegistration.extend({
  conflictingIds: z.array(id('deal_registration')).meta({
    description: 'The registrations of other partners that protect the company, its domain or the contact',
    examples: [[]],
  }),
});

const change = {
  target: 'deal_registration',
  data: z.object({ dealRegistrationId: id('deal_registration'), partnerId: id('partner') }),
  record: DealRegistration,
} as const;

export const dealRegistrationCreated = event('deal_registration.created', {
  ...change,
  description: 'A deal is registered as a draft',
  action: 'deal_registration.create',
});
export const dealRegistrationUpdated = event('deal_registration.updated', {
  ...change,
  description: 'The draft of a deal registration is updated',
  action: 'deal_registration.update',
});
export const dealRegistrationDeleted = event('deal_registration.deleted', {
  ...change,
  description: 'The draft of a deal registration is deleted',
  action: 'deal_registration.delete',
});
export const dealRegistrationSubmitted = event('deal_registration.submitted', {
  ...change,
  description: 'A deal registration is submitted for approval',
  action: 'deal_registration.submit',
});
export const dealRegistrationApproved = event('deal_registration.approved', {
  ...change,
  description: 'A deal registration is approved',
  action: 'deal_registration.approve',
});
export const dealRegistrationRejected = event('deal_registration.rejected', {
  ...change,
  description: 'A deal registration is rejected',
  action: 'deal_registration.reject',
});
export const dealRegistrationWithdrawn = event('deal_registration.withdrawn', {
  ...change,
  description: 'A deal registration is withdrawn',
  action: 'deal_registration.withdraw',
});
export const dealRegistrationConverted = event('deal_registration.converted', {
  ...change,
  description: 'A deal registration is converted to a lead and an opportunity',
  action: 'deal_registration.convert',
});
export const dealRegistrationExpired = event('deal_registration.expired', {
  ...change,
  description: 'The protection of a deal registration ends',
  action: 'deal_registration.expire',
});

/** The fields of a registration that a request can set. */
export const writableDeal = DealRegistration.pick({ company: true }).extend({
  companyDomain: domain().nullish(),
  contact: DealContact.extend({ phone: phone().nullish() }).describe('The person at the company'),
  value: Value.nullish(),
  currency: currency().nullish(),
  expectedCloseAt: ExpectedCloseAt.nullish(),
  notes: Notes.nullish(),
});

export const withDealId = z.object({ id: id('deal_registration') });
/** The query of the lists of a partner; the list of all partners has more. */
export const dealQuery = listQuery(['createdAt', 'updatedAt']).extend({ status: DealRegistrationStatus.optional() });

export const DealWithdrawal = z.object({ reason: Reason.min(1, 'Must not be empty').nullish() });
export const DeletedDeal = z.object({
  id: id('deal_registration'),
  deleted: z.literal(true).describe('Always true'),
});

export const dealErrors = {
  tooManyOpen: {
    too_many_open: [
      409,
      `The partner has ${dealRegistrationLimits.open} registrations that are drafts or submitted; delete drafts, withdraw registrations or wait for decisions`,
    ],
  },
  partnerNotApproved: { partner_not_approved: [409, 'The partner is not approved'] },
  notDraft: { not_draft: [409, 'Only drafts can be changed'] },
  registered: { already_registered: [409, 'The company is already registered'] },
  transition: { transition_refused: sharedErrors.transition_refused },
  contactReferred: { already_referred: [409, 'Another partner has the lead of the contact'] },
  converting: { conversion_running: [409, 'The registration is being converted; repeat the conversion to finish it'] },
} as const;
