import { createAi } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { campaign } from '@tandem/campaign-contract';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { entitlementsFrom, internalEntitlements, settingsReader } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import type { ServiceDefinition } from '@tandem/service';
import { aiHandlers } from './features/ai/index.ts';
import { campaignHandlers } from './features/campaigns/index.ts';
import { createHtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { nameHandlers } from './features/names/index.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { CampaignSettings } from './settings.ts';

/** Definition of the campaign service: contract and handlers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const log = createLog('campaign');
  const identity = createServiceClient({
    operations: internalEntitlements,
    baseUrl: settings.IDENTITY_URL,
    service: 'campaign',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const tools: Tools = {
    ai: createAi(settings, log),
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity, 'ai_generation'), log })),
    cleaner: createHtmlCleaner(),
  };
  return {
    name: 'campaign',
    operations: campaign,
    handlers: {
      ...campaignHandlers,
      ...workflowHandlers,
      ...landingPageHandlers(tools),
      ...aiHandlers(tools),
      ...nameHandlers,
    },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Campaign: { owners: ['createdBy'], team: 'teamId' },
      Workflow: { owners: ['createdBy'], team: 'teamId' },
      LandingPage: { owners: ['createdBy'], team: 'teamId' },
    },
    settings,
    async close() {
      await tools.ai.close();
      await tools.cleaner.close();
    },
  };
}
