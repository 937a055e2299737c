import type { Count, Counting } from '../counting/index.ts';

/** What is counted of an engagement event. */
export interface StoredEvent {
  id: number;
  type: string;
  timestamp: Date;
  automated: boolean;
  isFirst: boolean | null;
  assignedTo: number | null;
  teamId: number | null;
}

/** The values of the sums of engagement events. */
export type EventValue = 'first' | 'again' | 'automated';

/** What engagement events count for. */
export function countEvents(events: readonly StoredEvent[], { dayOf }: Counting): Count[] {
  return events.map(({ type, timestamp, automated, isFirst, assignedTo, teamId }) => {
    const value: EventValue = automated ? 'automated' : isFirst ? 'first' : 'again';
    return { name: `engagement.${type}`, day: dayOf(timestamp), value, userId: assignedTo, teamId, count: 1 };
  });
}
