import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** The condition of the records of the partner of a session. */
export function ofPartner({ partnerId }: Caller): { learnerType: 'partner'; learnerId: number } {
  // A caller without a partner has no records.
  return { learnerType: 'partner', learnerId: partnerId ?? 0 };
}

/** An enrolment of the partner; 404 for those of others. */
export async function readOwnEnrollment(tx: Tx, id: number, caller: Caller): Promise<EnrollmentRow> {
  const row = await tx.enrollment.findFirst({ where: { ...ofPartner(caller), id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The condition of courses that the portal offers. */
export const offered = { status: 'published', audience: { in: ['partners', 'both'] }, deletedAt: null };
