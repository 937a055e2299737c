// Contract of the partner service: partners, referrals, commissions, statements, co-marketing resources and the portal.
import { personalDataOperations } from '@tandem/contract';
import { coMarketing } from './co-marketing.ts';
import { commissions } from './commissions.ts';
import { internalApplicationCounts, internalPartnerLookup, internalPartners, internalRebuilds } from './internal.ts';
import { internalNames } from './names.ts';
import { partnerLife } from './partner-life.ts';
import { partners } from './partners.ts';
import { portal } from './portal.ts';
import { portalAccounts } from './portal-accounts.ts';
import { portalPages } from './portal-pages.ts';
import { portalUsers } from './portal-users.ts';
import { referrals } from './referrals.ts';
import { sharing } from './sharing.ts';
import { statements } from './statements.ts';
import { tiers } from './tiers.ts';

export * from './co-marketing.ts';
export * from './commissions.ts';
export * from './internal.ts';
export * from './names.ts';
export * from './partner-life.ts';
export * from './partners.ts';
export * from './portal.ts';
export * from './portal-accounts.ts';
export * from './portal-pages.ts';
export * from './portal-sign-in.ts';
export * from './portal-users.ts';
export * from './referrals.ts';
export * from './sharing.ts';
export * from './statements.ts';
export * from './tiers.ts';

export const partner = {
  ...partners,
  ...partnerLife,
  ...tiers,
  ...referrals,
  ...commissions,
  ...statements,
  ...coMarketing,
  ...sharing,
  ...portalUsers,
  ...portal,
  ...portalAccounts,
  ...portalPages,
  ...internalPartners,
  ...internalPartnerLookup,
  ...internalRebuilds,
  ...internalApplicationCounts,
  ...internalNames,
  ...personalDataOperations,
};
