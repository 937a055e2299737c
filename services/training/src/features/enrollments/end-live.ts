import { enrollmentExpired, enrollmentWithdrawn, type withdrawReasons } from '@tandem/training-contract';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import { countDeltas } from '../statistics/deltas.ts';
import { dataOf, type EnrollmentRecord, type Inside, writeEnrollment } from './enrollment.ts';

const events = { withdrawn: enrollmentWithdrawn, expired: enrollmentExpired };

/** Ends a locked enrolment that has not ended; for a withdrawal, its course is locked too (`lockWithCourse`). The progress stays. */
export async function endLive(
  { tx, emit, schedule }: Inside,
  row: EnrollmentRow,
  status: keyof typeof events,
  withdrawReason: (typeof withdrawReasons)[number] | null = null,
): Promise<EnrollmentRecord> {
  const enrollment = await writeEnrollment(tx, row.id, { status, withdrawReason });
  if (status === 'withdrawn')
    await tx.sql`UPDATE course SET enrollment_count = enrollment_count - 1 WHERE id = ${row.courseId}`;
  // A hand-in of a learner whose time is over is still graded, that of one who left is not.
  const closed = status === 'withdrawn' ? ['in_progress', 'submitted'] : ['in_progress'];
  await tx.attempt.updateMany({
    where: { enrollmentId: row.id, status: { in: closed } },
    data: { status: 'ended', version: { increment: 1 } },
  });
  await countDeltas({ tx, schedule }, [{ ...row, metric: status, value: 1 }]);
  emit(events[status], {
    data: dataOf(enrollment),
    record: enrollment,
    changes: { status: { from: row.status, to: status } },
  });
  return enrollment;
}
