import { unionNumber } from '@tandem/contract';
import { followLeadMerges, type Place } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import { enrollmentUpdated } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { endLive } from '../enrollments/end-live.ts';
import { asEnrollment, dataOf, type Inside, liveStatuses } from '../enrollments/enrollment.ts';

/**
 * Enrolments and certificates of a merged lead go to the lead that remains, and back when the merge is undone. Of two
 * enrolments in a course that have not ended, the one that is further along stays.
 */
export const followMerges = () =>
  followLeadMerges<Tx>([
    {
      table: fragment`enrollment`,
      lead: fragment`learner_id`,
      only: fragment`record.learner_type = 'lead'`,
      conflict: fragment`other.learner_type = 'lead' AND other.course_id = record.course_id
        AND other.status IN ('enrolled', 'in_progress') AND record.status IN ('enrolled', 'in_progress')`,
      set: fragment`, version = version + 1, updated_at = now()`,
      before: withdrawSecond,
      async moved({ tx, emit }, rows) {
        const changes = new Map(rows.map(({ id, from, to }) => [id, { from: numberOf(from), to: numberOf(to) }]));
        const moved = await tx.enrollment.findMany({
          where: { id: { in: [...changes.keys()] } },
          orderBy: { id: 'asc' },
        });
        for (const row of moved) {
          const enrollment = asEnrollment(row);
          const learnerId = changes.get(row.id) as { from: number; to: number };
          emit(enrollmentUpdated, { data: dataOf(enrollment), record: enrollment, changes: { learnerId } });
        }
      },
    },
    {
      table: fragment`certificate`,
      lead: fragment`learner_id`,
      only: fragment`record.learner_type = 'lead'`,
      set: fragment`, version = version + 1, updated_at = now()`,
    },
  ]);

const numberOf = (leadId: number | string) => unionNumber('learner', 'lead', Number(leadId));

/** Withdraws all but one of the enrolments that a lead would have in a course at once. */
async function withdrawSecond(inside: Inside, places: Place[]): Promise<void> {
  const { tx } = inside;
  const learnerIds = places.flatMap(({ origin, current }) => [origin, current]);
  const where = { learnerType: 'lead', learnerId: { in: learnerIds }, status: { in: liveStatuses } };
  // Courses before enrolments, as everywhere.
  const found = await tx.enrollment.findMany({ where, select: { courseId: true } });
  const courseIds = found.map(({ courseId }) => courseId);
  await tx.sql`SELECT FROM course WHERE id = ANY(${courseIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const rows = await tx.enrollment.findMany({
    where: { ...where, courseId: { in: courseIds } },
    orderBy: [{ percent: 'desc' }, { secondsSpent: 'desc' }, { id: 'asc' }],
  });
  const currentOf = new Map(places.map(({ origin, current }) => [origin, current]));
  const kept = new Set<string>();
  const second: number[] = [];
  for (const row of rows) {
    const key = `${row.courseId} ${currentOf.get(row.learnerId) ?? row.learnerId}`;
    if (kept.has(key)) second.push(row.id);
    kept.add(key);
  }
  await tx.sql`SELECT FROM enrollment WHERE id = ANY(${second}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const locked = await tx.enrollment.findMany({
    where: { id: { in: second }, status: { in: liveStatuses } },
    orderBy: { id: 'asc' },
  });
  for (const row of locked) await endLive(inside, row, 'withdrawn', 'lead_merged');
}
