import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { campaign } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { entitlementsFrom, internalEntitlements, internalUsers, settingsReader } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import { ownedWork, type ServiceDefinition } from '@tandem/service';
import { aiHandlers } from './features/ai/index.ts';
import { campaignHandlers } from './features/campaigns/index.ts';
import { createHtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { campaignRecords } from './features/work/owned-records.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { CampaignSettings } from './settings.ts';

/** Definition of the campaign service: contract, handlers and event consumers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const log = createLog('campaign');
  const identity = createServiceClient({
    operations: { ...internalEntitlements, ...internalUsers },
    baseUrl: settings.IDENTITY_URL,
    service: 'campaign',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const tools: Tools = {
    ai: createAi(settings, log),
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity, 'ai_generation'), log })),
    cleaner: createHtmlCleaner(),
    identity,
  };
  const work = ownedWork(identity, campaignRecords);
  return {
    name: 'campaign',
    operations: campaign,
    handlers: {
      ...campaignHandlers(tools),
      ...workflowHandlers(tools),
      ...landingPageHandlers(tools),
      ...aiHandlers(tools),
      ...nameHandlers,
      countOpenCampaignWork: work.countOpenWork,
    },
    consumers: work.consumers,
    jobs: work.jobs,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Campaign: { owners: ['ownerId'], team: 'teamId' },
      Workflow: { owners: ['ownerId'], team: 'teamId' },
      LandingPage: { owners: ['ownerId'], team: 'teamId' },
    },
    settings,
    async close() {
      await tools.ai.close();
      await tools.cleaner.close();
    },
  };
}
