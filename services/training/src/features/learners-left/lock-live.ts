import type { Enrollment as EnrollmentRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { isLive, liveStatuses } from '../enrollments/enrollment.ts';

/** The most enrolments that one transaction withdraws. */
export const livePortion = 100;

/** Enrolments of learners that have not ended, locked after their courses, both in the order of ids. */
export async function lockLive(
  tx: Tx,
  of: Pick<Prisma.EnrollmentWhereInput, 'learnerType' | 'learnerId'>,
): Promise<EnrollmentRow[]> {
  const found = await tx.enrollment.findMany({
    where: { ...of, status: { in: liveStatuses } },
    select: { id: true, courseId: true },
    orderBy: { id: 'asc' },
    take: livePortion,
  });
  const courseIds = found.map(({ courseId }) => courseId);
  const ids = found.map(({ id }) => id);
  await tx.sql`SELECT FROM course WHERE id = ANY(${courseIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  await tx.sql`SELECT FROM enrollment WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const rows = await tx.enrollment.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  return rows.filter(isLive);
}
