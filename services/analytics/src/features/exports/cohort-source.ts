import { id, recordFilters } from '@tandem/contract';
import { z } from 'zod';
import { readCohort } from '../cohort-definitions/cohort-definition.ts';
import { membersAmong } from '../cohort-definitions/members.ts';
import type { Source } from './source.ts';

/**
 * A source whose records can also be limited to the leads of a saved cohort. The owner of the list does not know cohorts, so
 * records of other leads are left out of each page.
 * @param leadField the field of a record that has the lead
 */
export function withCohort(source: Source, leadField: 'id' | 'leadId'): Source {
  return {
    ...source,
    hasCohort: true,
    async read({ filters: { cohortId, ...filters }, ...page }, reading) {
      if (cohortId === undefined) return source.read({ ...page, filters }, reading);
      const cohort = await readCohort(reading.tx, Number(cohortId));
      if (typeof cohort === 'string')
        return { records: [], next: null, errors: [{ field: cohortFilter, message: cohort }] };
      const read = await source.read({ ...page, filters }, reading);
      const leadOf = (record: Record<string, unknown>) => Number(record[leadField] ?? 0);
      const members = await membersAmong(reading.tx, cohort, [...new Set(read.records.map(leadOf))]);
      return { ...read, records: read.records.filter((record) => members.has(leadOf(record))) };
    },
  };
}

/** The filter as errors name it. */
export const cohortFilter = 'filters.cohortId';

/** The filters of a source: those of the records of its list, and a cohort if it can have one. */
export function filtersOf({ list, hasCohort }: Source) {
  const { params, query = z.object({}) } = list;
  const cohortId = id('cohort_definition').optional();
  return recordFilters({ params, query: hasCohort ? query.extend({ cohortId }) : query });
}
