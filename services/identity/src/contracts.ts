import { agents } from '@tandem/agents-contract';
import { analytics } from '@tandem/analytics-contract';
import { campaign } from '@tandem/campaign-contract';
import type { Operations } from '@tandem/contract';
import { crm } from '@tandem/crm-contract';
import { files } from '@tandem/files-contract';
import { identity } from '@tandem/identity-contract';
import { integrations } from '@tandem/integrations-contract';
import { partner } from '@tandem/partner-contract';
import { search } from '@tandem/search-contract';
import { training } from '@tandem/training-contract';

/** The contracts of all services, by service. */
export const contracts: Readonly<Record<string, Operations>> = {
  agents,
  analytics,
  campaign,
  crm,
  files,
  identity,
  integrations,
  partner,
  search,
  training,
};
