import { type AiSettings, createAi } from '@tandem/ai';
import { campaign } from '@tandem/campaign-contract';
import { createLog } from '@tandem/process';
import type { ServiceDefinition, ServiceSettings } from '@tandem/service';
import { aiHandlers } from './features/ai/index.ts';
import { campaignHandlers } from './features/campaigns/index.ts';
import { landingPageHandlers } from './features/landing-pages/index.ts';
import { workflowHandlers } from './features/workflows/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';

export type CampaignSettings = ServiceSettings & AiSettings;

/** The campaign service: its contract and its handlers. */
export function campaignService(
  settings: CampaignSettings,
): ServiceDefinition<typeof campaign, PrismaClient, CampaignSettings> {
  const ai = createAi(settings, createLog('campaign'));
  return {
    name: 'campaign',
    operations: campaign,
    handlers: { ...campaignHandlers, ...workflowHandlers, ...landingPageHandlers, ...aiHandlers({ ai }) },
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    owners: ['createdBy'],
    settings,
  };
}
