import { type AiSettings, createAi } from '@tandem/ai';
import { campaign } from '@tandem/campaign-contract';
import { createLog } from '@tandem/process';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { aiHandlers } from './features/ai/index.ts';
import { campaignHandlers } from './features/campaigns/index.ts';
import { createHtmlCleaner } from './features/landing-pages/html-cleaner.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type CampaignSettings = ServiceSettings & AiSettings;

/** Definition of the campaign service: contract and handlers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const tools = { ai: createAi(settings, createLog('campaign')), cleaner: createHtmlCleaner() };
  return {
    name: 'campaign',
    operations: campaign,
    handlers: { ...campaignHandlers, ...workflowHandlers, ...landingPageHandlers(tools), ...aiHandlers(tools) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    narrowing: {
      Campaign: { owners: ['createdBy'] },
      Workflow: { owners: ['createdBy'] },
      LandingPage: { owners: ['createdBy'] },
    },
    settings,
    async close() {
      await tools.ai.close();
      await tools.cleaner.close();
    },
  };
}
