import { addressPattern, type Sweep } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { removeCohortMembersJob } from './cohort-definition.ts';

const membersMax = 1_000;

/** Removes leads from static cohorts. */
export async function eraseMembers(tx: Tx, leadIds: readonly number[]): Promise<number> {
  const rows = await tx.sql`DELETE FROM cohort_member WHERE (cohort_id, lead_id) IN (
      SELECT cohort_id, lead_id FROM cohort_member WHERE lead_id = ANY(${[...leadIds]}::bigint[])
      UNION SELECT cohort_id, lead_id FROM cohort_member WHERE merged_from_lead_id = ANY(${[...leadIds]}::bigint[])
      LIMIT ${membersMax}::int) RETURNING 1`;
  return rows.length;
}

/** Removes cohorts that name a person, because without the condition they would have other leads. A tenant has few of them. */
export const cohortSweeps: readonly Sweep<Tx>[] = [
  async ({ tx, person, schedule }) => {
    const pattern = addressPattern(person, person.leadCodes);
    const removed = await tx.sql<{ id: number }>`
      DELETE FROM cohort_definition WHERE name ~* ${pattern} OR filter::text ~* ${pattern} RETURNING id`;
    await tx.sql`UPDATE cohort_definition SET description = NULL, version = version + 1 WHERE description ~* ${pattern}`;
    const payloads = removed.map(({ id }) => ({ cohortDefinitionId: id }));
    if (payloads.length) await schedule(removeCohortMembersJob, payloads);
    return { erased: { cohortDefinitions: removed.length }, next: null };
  },
];
