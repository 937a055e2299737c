import { actingUserId, type Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { liveStatuses } from '../enrollments/enrollment.ts';
import { readLearning, rejectEnded, rejectLocked } from '../progress/learning.ts';

// A learner takes a course again by a new enrolment.
const enrollmentsMax = 20;

/**
 * The enrolment by which a user may read the lessons of a course: the newest one that has not ended, else a completed one.
 * @throws 403 without one, 409 if it has ended
 */
export async function findOwnEnrollment(tx: Tx, caller: Caller, courseId: number): Promise<EnrollmentRow> {
  const learnerId = actingUserId(caller);
  const rows =
    learnerId === undefined
      ? []
      : await tx.enrollment.findMany({
          where: { courseId, learnerType: 'user', learnerId },
          orderBy: { id: 'desc' },
          take: enrollmentsMax,
        });
  const row =
    rows.find(({ status }) => liveStatuses.includes(status)) ??
    rows.find(({ status }) => status === 'completed') ??
    rows[0];
  if (!row)
    throw fail('forbidden', [
      { field: 'id', message: 'Enrol in the course to read its lessons; authors need the permission training:write' },
    ]);
  rejectNoAccess(row);
  return row;
}

/** @throws 409 if an enrolment gives no access to the material, or the lesson is locked; 404 if the course lacks the lesson */
export async function checkLessonOpen(tx: Tx, enrollment: EnrollmentRow, lessonId: number): Promise<void> {
  rejectNoAccess(enrollment);
  const learning = await readLearning(tx, enrollment.id, lessonId);
  if (!learning) throw fail('not_found');
  rejectLocked(learning);
}

/** Also a learner who has completed the course loses access at `expiresAt`. */
function rejectNoAccess({ status, expiresAt }: EnrollmentRow): void {
  const isOver = expiresAt !== null && expiresAt.getTime() <= Date.now();
  rejectEnded({ status: isOver && status !== 'withdrawn' ? 'expired' : status }, { butCompleted: true });
}
