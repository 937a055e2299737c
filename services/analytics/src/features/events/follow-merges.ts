import { followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

/** The events of a lead that is merged belong to the lead that remains. */
export const mergeFollowers = followLeadMerges<Tx>([{ table: fragment`engagement_event` }]);
