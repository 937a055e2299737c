import type { EngagementEvent } from '@tandem/analytics-contract';
import type { z } from 'zod';
import type { EngagementEvent as EventRow } from '../../generated/client.ts';

/** A row as the contract shows it. */
export function asEvent(row: EventRow): z.output<typeof EngagementEvent> {
  return row as unknown as z.output<typeof EngagementEvent>;
}
