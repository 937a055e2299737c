import {
  amount,
  currency,
  email,
  flag,
  id,
  listQuery,
  name,
  operations,
  page,
  phone,
  signedIn,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { commissions } from './commission-operations.ts';
import { Commission, CommissionStatus, commissionCancelled, commissionEarned } from './commissions.ts';
import { Partner, PartnerTier } from './partners.ts';
import { payoutCompleted, payoutFailed } from './payouts.ts';
import { Code, ReferralCode } from './referral-codes.ts';
import { ReferralSource, ReferralStatus, referralAttributed } from './referrals.ts';
import { Statement, statements } from './statements.ts';

const dealStatuses = ['open', 'won', 'lost'] as const;
export const DealStatus = z.enum(dealStatuses).describe('The status of the deal');

/** The fields of a commission that the portal shows. */
export const PortalCommission = Commission.omit({
  allowedTransitions: true,
  externalId: true,
  planId: true,
  planVersion: true,
  planSource: true,
});

const money = (description: string, example: number) => z.number().meta({ description, examples: [example] });
const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });

/** The business of a partner in figures. */
export const PortalDashboard = z.object({
  tier: PartnerTier,
  referrals: z
    .object({
      total: count('The number of leads that the partner has referred', 12),
      last30Days: count('The number of these leads in the last 30 days', 3),
    })
    .describe('The leads that the partner has referred'),
  links: z
    .object({
      activeCodes: count('The number of active referral codes', 2),
      clicks: count('The number of clicks on the links of the partner, also by software', 134),
      uniqueClicks: count('The number of people who clicked, each once a day', 95),
    })
    .describe('The referral links of the partner'),
  recruits: count('The number of approved partners that the partner has recruited', 1),
  pendingDealRegistrations: count('The number of submitted deal registrations that wait for a decision', 0),
  deals: z
    .array(
      z.object({
        currency: currency(),
        won: count('The number of won deals', 4),
        wonValue: money(
          'The value of the won deals, in major units of the currency; null unless it is disclosed',
          19_200,
        ).nullable(),
      }),
    )
    .describe('The won deals of the partner, per currency'),
  commissions: z
    .array(
      z.object({
        currency: currency(),
        status: CommissionStatus,
        count: count('The number of commissions with this status', 2),
        amount: money('The sum of these commissions, in major units of the currency', 240),
      }),
    )
    .describe('The commissions of the partner, per currency and status'),
  balances: z
    .array(
      z.object({
        currency: currency(),
        balance: money('What is earned and not paid yet, in major units of the currency', 240),
        paid: money('What was paid, in major units of the currency', 720),
      }),
    )
    .describe('The balance of the partner, per currency'),
});

/** A partner below the own one. */
export const PortalRecruit = Partner.pick({
  id: true,
  firstName: true,
  lastName: true,
  tier: true,
  status: true,
  approvedAt: true,
}).extend({
  depth: count('How far below the own partner: 1 for a partner that it has recruited itself', 1),
});

/** A lead that the partner has referred. What it shows of the person is a setting of the addon Partner Program. */
export const PortalLead = z.object({
  id: id('referral'),
  leadId: id('lead'),
  referralStatus: ReferralStatus,
  source: ReferralSource,
  code: Code.nullable().describe('The referral code of the lead'),
  occurredAt: timestamp().describe('When the partner referred the lead'),
  leadStatus: text(50)
    .nullable()
    .meta({ description: 'The status of the lead; null if it was deleted', examples: ['qualified'] }),
  firstName: name()
    .nullable()
    .meta({ description: 'The first name; null unless it is disclosed', examples: ['Ada'] }),
  lastName: name()
    .nullable()
    .meta({ description: 'The last name; null unless it is disclosed', examples: [null] }),
  email: email()
    .nullable()
    .meta({ description: 'The address; null unless it is disclosed', examples: [null] }),
  phone: phone()
    .nullable()
    .meta({ description: 'The phone number; null unless it is disclosed', examples: [null] }),
});

/** A deal of a lead that the partner has referred. */
export const PortalOpportunity = z.object({
  id: id('opportunity'),
  leadId: id('lead').nullable().describe('The lead that the deal is about'),
  name: name(200)
    .nullable()
    .meta({ description: 'The name of the deal; null unless it is disclosed', examples: ['Engines'] }),
  value: amount()
    .nullable()
    .meta({ description: 'The value in major units of the currency; null unless it is disclosed', examples: [4800] }),
  currency: currency(),
  status: DealStatus,
  closedAt: timestamp()
    .nullable()
    .meta({ description: 'When the deal was won or lost', examples: [null] }),
  createdAt: timestamp(),
});

const own = { method: 'GET', audience: 'portal', permission: signedIn } as const;

export const portalData = operations({
  listPortalLeads: {
    ...own,
    path: '/v1/partners/portal/leads',
    summary: 'List leads in the portal',
    description:
      'The leads that the own partner has referred, the latest first. The setting `disclosure` of the addon Partner Program decides which data of the people it shows.',
    query: listQuery(['occurredAt']).omit({
      search: true,
      cursor: true,
      sort: true,
      createdFrom: true,
      createdTo: true,
    }),
    reply: page(PortalLead),
    message: 'Leads retrieved',
  },
  createPortalLead: {
    method: 'POST',
    path: '/v1/partners/portal/leads',
    audience: 'portal',
    permission: signedIn,
    summary: 'Submit a lead in the portal',
    description:
      'Creates a lead, which is attributed to the own partner. An address that the team has already is refused. A partner can submit 100 leads an hour.',
    body: z.object({
      email: email().meta({ examples: ['ada@example.com'] }),
      firstName: name().meta({ examples: ['Ada'] }),
      lastName: name().meta({ examples: ['Lovelace'] }),
      phone: phone().nullish(),
    }),
    reply: PortalLead,
    status: 201,
    message: 'Lead submitted',
    emits: [referralAttributed, commissionEarned, commissionCancelled, payoutCompleted, payoutFailed],
    errors: {
      already_referred: [409, 'The lead cannot be attributed to the partner'],
      partner_not_approved: [409, 'The partner is not approved'],
      too_many_failures: [429, 'The partner has submitted too many leads. Wait before you try again.'],
    },
  },
  listPortalOpportunities: {
    ...own,
    path: '/v1/partners/portal/opportunities',
    summary: 'List deals in the portal',
    description: 'The deals of the own partner, the newest first. Names and values are shown as `disclosure` decides.',
    query: listQuery(['createdAt'])
      .omit({ search: true, cursor: true, sort: true, createdFrom: true, createdTo: true })
      .extend({ status: DealStatus.optional() }),
    reply: page(PortalOpportunity),
    message: 'Deals retrieved',
  },
  getPortalDashboard: {
    ...own,
    path: '/v1/partners/portal/dashboard',
    summary: 'Retrieve the dashboard of the portal',
    description:
      'The figures are those of the moment. The value of deals is shown as the setting `disclosure` of the addon Partner Program decides.',
    reply: PortalDashboard,
    message: 'Dashboard retrieved',
  },
  listPortalReferralCodes: {
    ...own,
    path: '/v1/partners/portal/referral-codes',
    summary: 'List referral codes in the portal',
    description: 'The codes of the own partner, with their links and figures.',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        isActive: flag().describe('Return only codes that are active, or only those that are not').optional(),
      }),
    reply: page(ReferralCode.omit({ createdBy: true })),
    message: 'Referral codes retrieved',
  },
  listPortalCommissions: {
    ...own,
    path: '/v1/partners/portal/commissions',
    summary: 'List commissions in the portal',
    description:
      'The commissions of the own partner, with adjustments and clawbacks. The reason of a hold is not shown. `basisAmount` is null if the setting `disclosure` of the addon Partner Program is `none`.',
    query: commissions.listPartnerCommissions.query,
    reply: page(PortalCommission),
    message: 'Commissions retrieved',
  },
  listPortalStatements: {
    ...own,
    path: '/v1/partners/portal/statements',
    summary: 'List statements in the portal',
    description:
      'The statements of the own partner, latest first, with links to the breakdown as CSV, which has no `basisAmount` if the setting `disclosure` of the addon Partner Program is `none`.',
    query: statements.listCommissionStatements.query,
    reply: page(Statement),
    message: 'Statements retrieved',
  },
  listPortalDownline: {
    ...own,
    path: '/v1/partners/portal/downline',
    summary: 'List the downline in the portal',
    description: 'The partners that the own partner has recruited, and those below them; without their addresses.',
    query: listQuery(['createdAt', 'lastName']).omit({ search: true }),
    reply: page(PortalRecruit),
    message: 'Downline retrieved',
  },
});
