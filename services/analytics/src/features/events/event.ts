import type { EngagementEvent } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { EngagementEvent as EventRow } from '../../generated/client.ts';

/** Converts a row to the contract's `EngagementEvent`. */
export function asEvent(row: EventRow): z.output<typeof EngagementEvent> {
  return row as z.output<typeof EngagementEvent>;
}
