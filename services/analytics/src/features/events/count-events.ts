import { fragment } from '@tandem/tenant-db';
import type { Count, Counting } from '../counting/index.ts';

/** The fields of an engagement event that are counted. */
export interface StoredEvent {
  id: number;
  type: string;
  timestamp: Date;
  automated: boolean;
  isFirst: boolean | null;
  isOpening: boolean | null;
  assignedTo: number | null;
  teamId: number | null;
}

/** The values of the sums of engagement events. `opening` is the first click of a message that the person did not open before. */
export type EventValue = 'first' | 'opening' | 'again' | 'automated';

/** The counts of engagement events. */
export function countEvents(events: readonly StoredEvent[], { dayOf }: Counting): Count[] {
  return events.map((event) => {
    const { type, timestamp, assignedTo, teamId } = event;
    return {
      name: `engagement.${type}`,
      day: dayOf(timestamp),
      value: eventValueOf(event),
      userId: assignedTo,
      teamId,
      count: 1,
    };
  });
}

/** The same as a column of `engagement_event`. */
export const eventValue = fragment`CASE WHEN automated THEN 'automated' WHEN type = 'link_click' AND is_opening THEN 'opening'
  WHEN is_first THEN 'first' ELSE 'again' END`;

/** The counts of stored events as rows, with the columns of `Counted`. */
export const countedEvents = fragment`SELECT 'engagement.' || type AS name, timestamp AS at, ${eventValue} AS value, 0::numeric AS amount,
  lead_id, assigned_to AS user_id, team_id FROM engagement_event WHERE is_counted`;

function eventValueOf({ type, automated, isFirst, isOpening }: StoredEvent): EventValue {
  if (automated) return 'automated';
  if (type === 'link_click' && isOpening) return 'opening';
  return isFirst ? 'first' : 'again';
}
