import { followLeadMerges } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

const retryMs = 10 * 60_000;

/** What agents did for a lead that is merged belongs to the lead that remains. */
export const mergeFollowers = followLeadMerges<Tx>([
  {
    table: fragment`execution`,
    // An agent is at work for a lead once at a time: the other execution follows when one has ended.
    conflict: fragment`other.agent_id = record.agent_id
      AND record.status IN ('queued', 'running', 'awaiting_approval')
      AND other.status IN ('queued', 'running', 'awaiting_approval')`,
    retryMs,
  },
  { table: fragment`recommendation` },
  { table: fragment`approval` },
  { table: fragment`bulk_run_rejection` },
]);
