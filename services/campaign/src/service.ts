import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { campaign, submissionLimits } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import {
  entitlementsFrom,
  internalAssignees,
  internalEntitlements,
  internalTenantSlugs,
  internalTenants,
  internalUsers,
  settingsReader,
  tenantSettingsFrom,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { createGuardedFetch, createTarget } from '@tandem/outgoing';
import { internalPartnerLookup } from '@tandem/partner-contract';
import { createLog } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
import { createHttpDriver } from '@tandem/sms';
import { crmOperations } from './crm-operations.ts';
import { examineAbTest } from './features/ab-tests/examine-ab-test.job.ts';
import { abTestHandlers } from './features/ab-tests/index.ts';
import { wakeAbTestLeads } from './features/ab-tests/wake-ab-test-leads.job.ts';
import { aiHandlers } from './features/ai/index.ts';
import { audienceHandlers } from './features/audiences/index.ts';
import { campaignResultHandlers } from './features/campaign-results/index.ts';
import { completeCampaignAtEnd } from './features/campaigns/complete-campaign.job.ts';
import { enrollAudience } from './features/campaigns/enroll-audience.job.ts';
import { campaignHandlers } from './features/campaigns/index.ts';
import { createDns } from './features/dns/dns.ts';
import { advanceExecutions, callWebhooks } from './features/engine/advance-executions.job.ts';
import { cancelExecutions } from './features/engine/cancel-executions.job.ts';
import { enterExecutions } from './features/engine/enter-executions.job.ts';
import { migrateExecutions } from './features/engine/migrate-executions.job.ts';
import { unparkExecutions } from './features/engine/unpark-executions.job.ts';
import { executionHandlers } from './features/executions/index.ts';
import { stepRetention } from './features/executions/retention.ts';
import { exportHandlers } from './features/exports/index.ts';
import { formHandlers } from './features/forms/index.ts';
import { processSubmission } from './features/forms/process-submission.job.ts';
import { createHtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { publishPlannedPage } from './features/landing-pages/publish-page.job.ts';
import { mergeFollowers } from './features/leads/follow-merges.ts';
import { mailLearner } from './features/learner-mail/mail-learner.job.ts';
import { mailLearners } from './features/learner-mail/on-learner-notified.ts';
import { messageHandlers } from './features/messages/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { checkPageDomain } from './features/page-domains/check-page-domain.job.ts';
import { pageDomainHandlers } from './features/page-domains/index.ts';
import { campaignData } from './features/personal-data/campaign-data.ts';
import { preferenceHandlers } from './features/preferences/index.ts';
import { softBounces } from './features/provider-events/apply-reports.ts';
import { providerEventHandlers } from './features/provider-events/index.ts';
import { createProviders } from './features/provider-events/providers.ts';
import { publicPageHandlers } from './features/public-pages/index.ts';
import { runTrigger } from './features/scheduled-triggers/run-trigger.job.ts';
import { startBySegment } from './features/scheduled-triggers/start-by-segment.job.ts';
import { segmentHandlers } from './features/segments/index.ts';
import { senderHandlers } from './features/senders/index.ts';
import { checkSendingDomain } from './features/sending-domains/check-sending-domain.job.ts';
import { sendingDomainHandlers } from './features/sending-domains/index.ts';
import { spfMechanism } from './features/sending-domains/records.ts';
import { sealedDkimKeys } from './features/sending-domains/sending-domain.ts';
import { sequenceHandlers } from './features/sequences/index.ts';
import { suppressionHandlers } from './features/suppressions/index.ts';
import { templateHandlers } from './features/templates/index.ts';
import { createTemplateRenderer } from './features/templates/template-renderer.ts';
import { topicHandlers } from './features/topics/index.ts';
import { trackingHandlers } from './features/tracking/index.ts';
import { trackingLinks } from './features/tracking/tracking-links.ts';
import { triggerHandlers } from './features/triggers/index.ts';
import { followEngagement } from './features/triggers/on-engagement-recorded.ts';
import { followLeads } from './features/triggers/on-lead-ended.ts';
import { startWorkflows } from './features/triggers/on-lead-event.ts';
import { startByEngagement } from './features/triggers/start-by-engagement.job.ts';
import { campaignRecords } from './features/work/owned-records.ts';
import { sealedWorkflowSecrets } from './features/workflow-secrets/secret.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { removeDeleted } from './features/workflows/remove-deleted.job.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { CampaignSettings } from './settings.ts';

// Batches of messages that may wait for the mail server at once.
const jobsOutsideMax = 8;
const webhookTimeoutMs = 10_000;

/** Definition of the campaign service: contract, handlers and event consumers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const log = createLog('campaign');
  const asCampaign = { service: 'campaign', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const identity = createServiceClient({
    ...asCampaign,
    operations: {
      ...internalEntitlements,
      ...internalUsers,
      ...internalTenants,
      ...internalTenantSlugs,
      ...internalAssignees,
    },
    baseUrl: settings.IDENTITY_URL,
  });
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const target = createTarget({ allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE_TARGETS });
  const webhooks = createGuardedFetch({ target, name: 'A webhook of a workflow', timeoutMs: webhookTimeoutMs });
  const mailer = createMailer({ settings, seal, log });
  const tools: Tools = {
    ai: createAi(settings, log),
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity, 'ai_generation'), log })),
    cleaner: createHtmlCleaner(),
    renderer: createTemplateRenderer(),
    identity,
    crm: createServiceClient({ ...asCampaign, operations: crmOperations, baseUrl: settings.CRM_URL }),
    partner: createServiceClient({ ...asCampaign, operations: internalPartnerLookup, baseUrl: settings.PARTNER_URL }),
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal,
    publicUrl: settings.PUBLIC_URL,
    pagesHost: settings.PAGES_HOST ?? new URL(settings.PUBLIC_URL).hostname,
    mail: mailer.queue,
    mailer,
    sms: createHttpDriver(settings),
    smsPerDayMax: settings.SMS_PER_DAY_MAX,
    webhooks: { target, fetch: webhooks.fetch },
    tracking: trackingLinks(seal, settings.PUBLIC_URL),
    dns: createDns(settings.DNS_SERVERS),
    domainPerMinuteMax: settings.MAIL_PER_DOMAIN_MINUTE_MAX,
    providers: createProviders(settings),
    spf: spfMechanism(settings.MAIL_SPF_INCLUDE, settings.SMTP_URL),
  };
  const person = personalData('campaign', campaignData(tools));
  const work = ownedWork(identity, campaignRecords);
  return {
    name: 'campaign',
    operations: campaign,
    handlers: {
      ...campaignHandlers(tools),
      ...sequenceHandlers(tools),
      ...campaignResultHandlers,
      ...workflowHandlers(tools),
      ...executionHandlers(tools),
      ...triggerHandlers(tools),
      ...messageHandlers,
      ...trackingHandlers(tools, log),
      ...providerEventHandlers(tools),
      ...landingPageHandlers(tools),
      ...segmentHandlers(tools),
      ...audienceHandlers(tools),
      ...suppressionHandlers(tools),
      ...senderHandlers,
      ...sendingDomainHandlers(tools),
      ...topicHandlers,
      ...templateHandlers(tools),
      ...preferenceHandlers(tools),
      ...pageDomainHandlers(tools),
      ...publicPageHandlers(tools),
      ...formHandlers(tools),
      ...abTestHandlers(tools),
      ...aiHandlers(tools),
      ...nameHandlers,
      ...exportHandlers(tools),
      ...person.handlers,
      countOpenCampaignWork: work.countOpenWork,
    },
    consumers: [
      ...work.consumers,
      ...person.consumers,
      ...mergeFollowers.consumers,
      startWorkflows,
      followLeads,
      followEngagement(tools),
      mailLearners,
    ],
    jobs: [
      ...work.jobs,
      ...person.jobs,
      ...mergeFollowers.jobs,
      enterExecutions(tools),
      advanceExecutions(tools),
      callWebhooks(tools),
      unparkExecutions,
      migrateExecutions,
      cancelExecutions,
      removeDeleted,
      enrollAudience(tools),
      completeCampaignAtEnd,
      runTrigger(tools),
      startBySegment(tools),
      startByEngagement(tools),
      processSubmission(tools),
      publishPlannedPage(tools),
      checkSendingDomain(tools),
      checkPageDomain(tools),
      examineAbTest,
      wakeAbTestLeads,
      mailLearner(tools),
    ],
    jobsOutsideMax,
    mail: mailer,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    purge: [
      { table: 'form_submission', column: 'discardable_since', days: submissionLimits.keptDays },
      { table: 'sender_count', column: 'day', days: 30 },
      { table: 'domain_pace', column: 'minute', days: 1 },
      { table: 'soft_bounce', column: 'at', days: softBounces.days },
      // Visits by nobody known: analytics has counted them.
      { table: 'engagement', column: 'at', days: 90 },
      stepRetention,
      { table: 'sms_recipient_lookup', column: 'seen_at', days: 400 },
    ],
    narrowing: {
      Campaign: { owners: ['ownerId'], team: 'teamId' },
      Workflow: { owners: ['ownerId'], team: 'teamId' },
      WorkflowTrigger: { through: ['workflow'] },
      TriggerMember: { through: ['workflow'] },
      WorkflowVersion: { through: ['workflow'] },
      Execution: { through: ['workflow'] },
      ExecutionStep: { through: ['execution'] },
      Message: 'shared',
      SmsCount: 'shared',
      Engagement: 'shared',
      LandingPage: { owners: ['ownerId'], team: 'teamId' },
      Segment: 'shared',
      SegmentLead: 'shared',
      MergedLead: 'shared',
      AudiencePart: { through: ['campaign'] },
      Topic: 'shared',
      Template: 'shared',
      TemplateVersion: 'shared',
      Suppression: 'shared',
      ContactPause: 'shared',
      LandingPageVersion: { through: ['landingPage'] },
      Form: 'shared',
      FormSubmission: 'shared',
      SendingDomain: 'shared',
      PageDomain: 'shared',
      Sender: 'shared',
      SenderCount: 'shared',
      DomainPace: 'shared',
      SoftBounce: 'shared',
      AbTest: { through: ['campaign'] },
      AbTestVisits: { through: ['abTest'] },
    },
    sealed: [...sealedDkimKeys, ...sealedWorkflowSecrets],
    settings,
    async close() {
      await tools.ai.close();
      await tools.cleaner.close();
      await tools.providers.sns.close();
      await webhooks.close();
      await tools.renderer.close();
    },
  };
}
