import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { campaign, submissionLimits } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import {
  entitlementsFrom,
  internalEntitlements,
  internalTenantSlugs,
  internalTenants,
  internalUsers,
  settingsReader,
  tenantSettingsFrom,
} from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createMailer } from '@tandem/mail';
import { createLog } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { ownedWork, personalData, type ServiceDefinition } from '@tandem/service';
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
import { advanceExecutions } from './features/engine/advance-executions.job.ts';
import { cancelExecutions } from './features/engine/cancel-executions.job.ts';
import { unparkExecutions } from './features/engine/unpark-executions.job.ts';
import { executionHandlers } from './features/executions/index.ts';
import { formHandlers } from './features/forms/index.ts';
import { processSubmission } from './features/forms/process-submission.job.ts';
import { createHtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { publishPlannedPage } from './features/landing-pages/publish-page.job.ts';
import { mergeFollowers } from './features/leads/follow-merges.ts';
import { messageHandlers } from './features/messages/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { campaignData } from './features/personal-data/campaign-data.ts';
import { preferenceHandlers } from './features/preferences/index.ts';
import { publicPageHandlers } from './features/public-pages/index.ts';
import { segmentHandlers } from './features/segments/index.ts';
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
import { campaignRecords } from './features/work/owned-records.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { CampaignSettings } from './settings.ts';

// Batches of messages that may wait for the mail server at once.
const jobsOutsideMax = 8;

/** Definition of the campaign service: contract, handlers and event consumers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const log = createLog('campaign');
  const asCampaign = { service: 'campaign', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const identity = createServiceClient({
    ...asCampaign,
    operations: { ...internalEntitlements, ...internalUsers, ...internalTenants, ...internalTenantSlugs },
    baseUrl: settings.IDENTITY_URL,
  });
  const seal = createSeal(settings.ENCRYPTION_KEY);
  const mailer = createMailer({ settings, seal, log });
  const tools: Tools = {
    ai: createAi(settings, log),
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity, 'ai_generation'), log })),
    cleaner: createHtmlCleaner(),
    renderer: createTemplateRenderer(),
    identity,
    crm: createServiceClient({ ...asCampaign, operations: crmOperations, baseUrl: settings.CRM_URL }),
    settingsOf: cachedPerTenant({ ...tenantSettingsFrom(identity), log }),
    ids: createIdCodec(settings.IDS_ALPHABET),
    seal,
    publicUrl: settings.PUBLIC_URL,
    mail: mailer.queue,
    mailer,
    tracking: trackingLinks(seal, settings.PUBLIC_URL),
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
      ...trackingHandlers(tools),
      ...landingPageHandlers(tools),
      ...segmentHandlers(tools),
      ...audienceHandlers(tools),
      ...suppressionHandlers(tools),
      ...topicHandlers,
      ...templateHandlers(tools),
      ...preferenceHandlers(tools),
      ...publicPageHandlers(tools),
      ...formHandlers(tools),
      ...abTestHandlers(tools),
      ...aiHandlers(tools),
      ...nameHandlers,
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
    ],
    jobs: [
      ...work.jobs,
      ...person.jobs,
      ...mergeFollowers.jobs,
      advanceExecutions(tools),
      unparkExecutions,
      cancelExecutions,
      enrollAudience(tools),
      completeCampaignAtEnd,
      processSubmission(tools),
      publishPlannedPage(tools),
      examineAbTest,
      wakeAbTestLeads,
    ],
    jobsOutsideMax,
    mail: mailer,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    purge: [{ table: 'form_submission', column: 'discardable_since', days: submissionLimits.keptDays }],
    narrowing: {
      Campaign: { owners: ['ownerId'], team: 'teamId' },
      Workflow: { owners: ['ownerId'], team: 'teamId' },
      WorkflowVersion: { through: ['workflow'] },
      Execution: { through: ['workflow'] },
      ExecutionStep: { through: ['execution'] },
      Message: 'shared',
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
      AbTest: { through: ['campaign'] },
      AbTestVisits: { through: ['abTest'] },
    },
    settings,
    async close() {
      await tools.ai.close();
      await tools.cleaner.close();
      await tools.renderer.close();
    },
  };
}
