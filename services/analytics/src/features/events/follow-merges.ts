import { followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import { placeTouches } from './first-touch.ts';

/** The events of a lead that is merged, its first engagement and its places in static cohorts belong to the lead that remains. */
export const mergeFollowers = followLeadMerges<Tx>(
  [
    { table: fragment`engagement_event` },
    {
      table: fragment`cohort_member`,
      // Rows have no id of their own, and are not changed in place.
      key: fragment`ctid`,
      conflict: fragment`other.cohort_id = record.cohort_id`,
    },
  ],
  ({ tx }, leadIds) => placeTouches(tx, leadIds),
);
