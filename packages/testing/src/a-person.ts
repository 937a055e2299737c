import type { Person } from '@tandem/contract';

/** A person of an export or an erasure, by what is known; everything else is empty. */
export function aPerson(known: Partial<Person>): Person {
  return {
    leadIds: [],
    leadCodes: [],
    emails: [],
    names: [],
    phones: [],
    taskIds: [],
    activityIds: [],
    calendarEventIds: [],
    recordCodes: [],
    opportunityIds: [],
    ...known,
  };
}
