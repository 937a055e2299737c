import { createServiceClient } from '@tandem/client/internal';
import { personalDataOperations } from '@tandem/contract';
import type { PersonalDataPeers } from './features/personal-data/export-lead-data.ts';
import type { CrmSettings } from './settings.ts';

/** Connects to the other services that hold data of people. */
export function personalDataPeers(
  settings: CrmSettings,
  asCrm: Pick<Parameters<typeof createServiceClient>[0], 'service' | 'signer'>,
): PersonalDataPeers {
  const connect = (baseUrl: string) => createServiceClient({ ...asCrm, operations: personalDataOperations, baseUrl });
  return {
    agents: connect(settings.AGENTS_URL),
    analytics: connect(settings.ANALYTICS_URL),
    campaign: connect(settings.CAMPAIGN_URL),
    files: connect(settings.FILES_URL),
    identity: connect(settings.IDENTITY_URL),
    integrations: connect(settings.INTEGRATIONS_URL),
    partner: connect(settings.PARTNER_URL),
    search: connect(settings.SEARCH_URL),
    training: connect(settings.TRAINING_URL),
  };
}
