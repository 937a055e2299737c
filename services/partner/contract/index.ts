// Contract of the partner service: partners, referrals, commissions, statements, co-marketing resources and the portal.
import { jobErrorOperations, jobOperations, personalDataOperations, recordPages } from '@tandem/contract';
import { bulkCommissions } from './bulk-commissions.ts';
import { coMarketing } from './co-marketing.ts';
import { commissions } from './commission-operations.ts';
import { commissionPlans } from './commission-plans.ts';
import { dealRegistrations } from './deal-registration-operations.ts';
import { hierarchy } from './hierarchy.ts';
import { internalApplicationCounts, internalPartnerLookup, internalPartners, internalRebuilds } from './internal.ts';
import { internalNames } from './names.ts';
import { partnerLife } from './partner-life.ts';
import { partners } from './partners.ts';
import { payoutAccounts } from './payout-accounts.ts';
import { payouts } from './payout-operations.ts';
import { portal } from './portal.ts';
import { portalAccounts } from './portal-accounts.ts';
import { portalData } from './portal-data.ts';
import { portalDealRegistrations } from './portal-deal-registrations.ts';
import { portalPages } from './portal-pages.ts';
import { portalUsers } from './portal-users.ts';
import { referralCodes } from './referral-codes.ts';
import { referrals } from './referral-operations.ts';
import { sharing } from './sharing.ts';
import { statements } from './statements.ts';
import { tiers } from './tiers.ts';

export * from './bulk-commissions.ts';
export * from './co-marketing.ts';
export * from './commission-operations.ts';
export * from './commission-plans.ts';
export * from './commissions.ts';
export * from './deal-registration-operations.ts';
export * from './deal-registrations.ts';
export * from './hierarchy.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './partner-life.ts';
export * from './partners.ts';
export * from './payout-accounts.ts';
export * from './payout-operations.ts';
export * from './payouts.ts';
export * from './plan-terms.ts';
export * from './portal.ts';
export * from './portal-accounts.ts';
export * from './portal-data.ts';
export * from './portal-deal-registrations.ts';
export * from './portal-pages.ts';
export * from './portal-sign-in.ts';
export * from './portal-users.ts';
export * from './referral-codes.ts';
export * from './referral-operations.ts';
export * from './referrals.ts';
export * from './sharing.ts';
export * from './statements.ts';
export * from './tiers.ts';

export const partner = {
  ...partners,
  ...partnerLife,
  ...tiers,
  ...hierarchy,
  ...referralCodes,
  ...referrals,
  ...commissionPlans,
  ...dealRegistrations,
  ...commissions,
  ...bulkCommissions,
  ...payouts,
  ...payoutAccounts,
  ...statements,
  ...coMarketing,
  ...sharing,
  ...portalUsers,
  ...portal,
  ...portalDealRegistrations,
  ...portalData,
  ...portalAccounts,
  ...portalPages,
  ...internalPartners,
  ...internalPartnerLookup,
  ...internalRebuilds,
  ...internalApplicationCounts,
  ...internalNames,
  ...jobOperations,
  ...jobErrorOperations,
  ...personalDataOperations,
  ...recordPages,
};
