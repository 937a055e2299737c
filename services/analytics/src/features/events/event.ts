import { EngagementEvent } from '@tandem/analytics-contract';
import { storedObject } from '@tandem/service';
import type { z } from 'zod';
import type { EngagementEvent as EventRow } from '../../generated/client.ts';

const columns = EngagementEvent.pick({ type: true }).extend({ properties: storedObject });

/** Converts a row to the contract's `EngagementEvent`. */
export function asEvent(row: EventRow): z.output<typeof EngagementEvent> {
  return { ...row, ...columns.parse(row) };
}
