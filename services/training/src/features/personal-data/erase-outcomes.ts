import type { Erasing } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Removes what enrolment rules did for the person; the counters of the rules stay. */
export async function eraseOutcomes({ tx, person: { leadIds } }: Erasing<Tx>): Promise<number> {
  const rows = await tx.sql`
    DELETE FROM rule_outcome WHERE learner_id = ANY(${leadIds}::bigint[])
      AND rule_id IN (SELECT id FROM enrollment_rule WHERE learner_type = 'lead') RETURNING rule_id`;
  return rows.length;
}
