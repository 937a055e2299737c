import { createHash } from 'node:crypto';
import type { Cancelled } from './calendar-cursor.ts';
import type { CalendarRecord } from './calendar-fields.ts';

const prefixLength = 8;
const prefixed = /^[0-9a-f]{8}:/;

/**
 * The ids of the records of a calendar. Google's ids are unique within a calendar only, so those of other calendars than the
 * primary one begin with a digest of its id: events of a calendar that was synced before, or by another config, must not be
 * taken for deleted ones.
 */
export function recordIdsOf(calendarId: string) {
  const digest = createHash('sha256').update(calendarId).digest('hex').slice(0, prefixLength);
  const prefix = calendarId === 'primary' ? '' : `${digest}:`;
  return {
    /** A record with the ids that the platform stores. */
    ofRecord(record: CalendarRecord): CalendarRecord {
      const { id, occurrence } = record;
      const ids = { id: `${prefix}${id}` };
      return occurrence
        ? { ...record, ...ids, occurrence: { ...occurrence, seriesId: `${prefix}${occurrence.seriesId}` } }
        : { ...record, ...ids };
    },
    ofCancelled([id, seriesId, originalStartAt]: Cancelled): Cancelled {
      return [`${prefix}${id}`, `${prefix}${seriesId}`, originalStartAt];
    },
    /** The id at Google; null for one of another calendar. */
    atGoogle(recordId: string): string | null {
      if (!recordId.startsWith(prefix)) return null;
      const id = recordId.slice(prefix.length);
      return prefixed.test(id) ? null : id;
    },
  };
}
