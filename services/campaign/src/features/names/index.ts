import type { internalNames } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameCampaignRecords } from './name-campaign-records.ts';

export const nameHandlers = { nameCampaignRecords } satisfies Handlers<typeof internalNames, Tx>;
