import { createCallerSigner } from '@tandem/caller';
import { internalCampaigns } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import {
  internalExports,
  internalLeads,
  internalOpportunities,
  internalPartnerDeals,
  internalPipelines,
  internalRegisteredDeals,
} from '@tandem/crm-contract';
import { internalFiles } from '@tandem/files-contract';
import {
  entitlementsFrom,
  internalEntitlements,
  internalPortal,
  internalTenants,
  settingsReader,
  tenantSettingsFrom,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { partner } from '@tandem/partner-contract';
import { connectRedis, loginLimiter } from '@tandem/passwords';
import { createLog } from '@tandem/process';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import { bulkOperations, personalData, type ServiceDefinition } from '@tandem/service';
import { internalCompletions } from '@tandem/training-contract';
import { createDocuments } from './documents.ts';
import { coMarketingHandlers } from './features/co-marketing/index.ts';
import { makeDefaultPlan } from './features/commission-plans/default-plan.ts';
import { commissionPlanHandlers } from './features/commission-plans/index.ts';
import { approveDue } from './features/commissions/approve-due.job.ts';
import { commissionBulk } from './features/commissions/bulk-commissions.ts';
import { followPartner } from './features/commissions/follow-partner.job.ts';
import { commissionHandlers } from './features/commissions/index.ts';
import { qualifiedDays } from './features/commissions/on-lead-qualified.ts';
import { uncreditedDays } from './features/commissions/uncredited-deals.ts';
import { creditPartners } from './features/credit-partners.ts';
import { creditReactivated } from './features/credit-reactivated.job.ts';
import { expireDealRegistration } from './features/deal-registrations/expire-deal-registration.job.ts';
import { dealRegistrationHandlers } from './features/deal-registrations/index.ts';
import { applyParentChange } from './features/hierarchy/apply-parent-change.job.ts';
import { hierarchyHandlers } from './features/hierarchy/index.ts';
import { followTimeZone } from './features/months/on-tenant-changed.ts';
import { nameHandlers } from './features/names/index.ts';
import { partnerHandlers } from './features/partners/index.ts';
import { sealedAccounts } from './features/payout-accounts/account.ts';
import { payoutAccountHandlers } from './features/payout-accounts/index.ts';
import { payoutHandlers, payoutJobs } from './features/payouts/index.ts';
import { partnerData } from './features/personal-data/partner-data.ts';
import { endPortalSessions } from './features/portal/end-portal-sessions.job.ts';
import { portalHandlers } from './features/portal/index.ts';
import { portalAccountHandlers } from './features/portal-accounts/index.ts';
import { portalDataHandlers } from './features/portal-data/index.ts';
import { portalDealRegistrationHandlers } from './features/portal-deal-registrations/index.ts';
import { portalUserHandlers } from './features/portal-users/index.ts';
import { notifyOwners } from './features/portal-users/notify-owners.job.ts';
import { portalRole } from './features/portal-users/portal-role.ts';
import { clickBuffer } from './features/referral-codes/click-buffer.ts';
import { referralCodeHandlers } from './features/referral-codes/index.ts';
import { flagReferrals } from './features/referrals/flag-referrals.job.ts';
import { holdFlaggedCommissions } from './features/referrals/flagged-commissions.ts';
import { mergeFollowers } from './features/referrals/follow-merges.ts';
import { referralHandlers } from './features/referrals/index.ts';
import { sharingHandlers } from './features/sharing/index.ts';
import { finalizeMonth } from './features/statements/finalize-month.job.ts';
import { statementHandlers } from './features/statements/index.ts';
import { finalizeMonths } from './features/statements/schedule-months.ts';
import { tierHandlers } from './features/tiers/index.ts';
import { reviewTiers } from './features/tiers/on-partner-progress.ts';
import { reviewAllTiers } from './features/tiers/review-all-tiers.job.ts';
import { reviewTier } from './features/tiers/review-tier.job.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Peers, Tools } from './handler.ts';
import { createPaymentProvider } from './payment-provider.ts';
import { createPortalLinks } from './portal-links.ts';
import type { PartnerSettings } from './settings.ts';

const backgroundDelayMs = 50;

/** Definition of the partner service. */
export function partnerService(
  settings: PartnerSettings,
): ServiceDefinition<typeof partner, PrismaClient, PartnerSettings> {
  const redis = connectRedis(settings.REDIS_URL, createLog('partner'));
  const log = createLog('partner');
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const mailer = createMailer({ settings, seal, log });
  const publicUrl = settings.PUBLIC_URL.replace(/\/$/, '');
  const tools: Tools = {
    peers: connectPeers(settings),
    ...readTenants(settings),
    links: createLinkTokens(seal, 'statements'),
    payoutLinks: createLinkTokens(seal, 'payouts'),
    seal,
    documents: createDocuments(),
    paymentProvider: providerOf(settings),
    digest: seal.digest,
    portalLinks: createPortalLinks(seal, { portalUrl: settings.PORTAL_URL, publicUrl }),
    mail: mailer.queue,
    publicUrl,
    ids: createIdCodec(settings.IDS_ALPHABET),
    limiter: loginLimiter({ redis, namespace: settings.NAMESPACE, key: seal.digest, log: log }),
    // Delayed so that the response is sent before the work uses CPU time.
    inBackground: (work) =>
      void setTimeout(() => work().catch((error) => log.error('background work failed', { error })), backgroundDelayMs),
  };
  const bulk = bulkOperations('partner', commissionBulk, { ids: tools.ids, log: createLog('partner') });
  const clicks = clickBuffer(createLog('partner'));
  const person = personalData('partner', partnerData);
  return {
    name: 'partner',
    operations: partner,
    handlers: {
      ...person.handlers,
      ...partnerHandlers(tools),
      ...tierHandlers(tools),
      ...hierarchyHandlers,
      ...referralCodeHandlers(tools, clicks),
      ...referralHandlers(tools),
      ...commissionPlanHandlers(tools),
      ...dealRegistrationHandlers(tools),
      ...commissionHandlers(tools),
      ...bulk.handlers,
      getJob: bulk.getJob,
      getJobErrors: bulk.getJobErrors,
      ...payoutHandlers(tools),
      ...payoutAccountHandlers(tools),
      ...statementHandlers(tools),
      ...coMarketingHandlers(tools),
      ...sharingHandlers(tools),
      ...portalUserHandlers(tools),
      ...portalHandlers(tools),
      ...portalDealRegistrationHandlers,
      ...portalDataHandlers(tools),
      ...portalAccountHandlers(tools),
      ...nameHandlers,
    },
    consumers: [
      creditPartners,
      reviewTiers,
      followTimeZone,
      finalizeMonths,
      ...mergeFollowers.consumers,
      ...person.consumers,
    ],
    jobs: [
      reviewTier(tools),
      reviewAllTiers,
      endPortalSessions(tools),
      notifyOwners(tools),
      flagReferrals(tools),
      holdFlaggedCommissions,
      approveDue,
      followPartner,
      creditReactivated,
      finalizeMonth,
      ...payoutJobs(tools),
      ...bulk.jobs,
      applyParentChange,
      expireDealRegistration(tools),
      ...mergeFollowers.jobs,
      ...person.jobs,
    ],
    firstUse: makeDefaultPlan,
    sealed: [sealedAccounts],
    purge: [
      { table: 'uncredited_deal', column: 'created_at', days: uncreditedDays },
      { table: 'qualified_lead', column: 'created_at', days: qualifiedDays },
      { table: 'referral_click', column: 'at', days: 400 },
      // Until then their number limits further links.
      { table: 'portal_token', column: 'expires_at', days: 1 },
    ],
    mail: mailer,
    portalRole,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    settings,
    drain: clicks.close,
    async close() {
      redis.disconnect();
      await tools.documents.close();
    },
  };
}

function providerOf({ PAYOUT_PROVIDER_URL: url, PAYOUT_PROVIDER_KEY: key }: PartnerSettings) {
  return url && key ? createPaymentProvider(url, key) : undefined;
}

/** Cached values of identity: the addon settings and the settings of tenants. */
function readTenants({ IDENTITY_URL, INTERNAL_SECRETS }: PartnerSettings): Pick<Tools, 'addonSettings' | 'settingsOf'> {
  const identity = createServiceClient({
    operations: { ...internalEntitlements, ...internalTenants },
    baseUrl: IDENTITY_URL,
    service: 'partner',
    signer: createCallerSigner(INTERNAL_SECRETS),
  });
  const log = createLog('partner');
  return {
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity), log })),
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
  };
}

const crmOperations = {
  ...internalLeads,
  ...internalOpportunities,
  ...internalPartnerDeals,
  ...internalPipelines,
  ...internalExports,
  ...internalRegisteredDeals,
};

function connectPeers(settings: PartnerSettings): Peers {
  const { IDENTITY_URL, FILES_URL, CAMPAIGN_URL, CRM_URL, TRAINING_URL } = settings;
  const common = { service: 'partner', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  return {
    identity: createServiceClient({ ...common, operations: internalPortal, baseUrl: IDENTITY_URL }),
    files: createServiceClient({ ...common, operations: internalFiles, baseUrl: FILES_URL }),
    campaign: createServiceClient({ ...common, operations: internalCampaigns, baseUrl: CAMPAIGN_URL }),
    crm: createServiceClient({ ...common, operations: crmOperations, baseUrl: CRM_URL }),
    training: createServiceClient({ ...common, operations: internalCompletions, baseUrl: TRAINING_URL }),
  };
}
