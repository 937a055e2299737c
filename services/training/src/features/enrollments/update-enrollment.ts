import { diff, fail } from '@tandem/service';
import { type enrollments, enrollmentUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { catchUp } from '../attempts/catch-up.ts';
import { rejectOwnDates } from '../progress/teacher.ts';
import { checkDates, isPast, scheduleDates } from './dates.ts';
import { asEnrollment, dataOf, isLive, writeEnrollment } from './enrollment.ts';
import { lockWithCourse } from './lock-with-course.ts';

export const updateEnrollment: Handler<typeof enrollments.updateEnrollment> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  // A later end may complete the course; the second write of the enrolment checks its reference, and so waits for the course.
  const { enrollment: before } = await lockWithCourse(tx, params.id);
  ifMatch(before);
  if (!isLive(before))
    throw fail('enrollment_ended', [
      { field: 'status', message: `The enrolment is ${before.status}; extend or restart it instead` },
    ]);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return asEnrollment(before);
  rejectOwnDates(caller, before, Object.keys(values)[0] as string);
  checkDates({ ...before, ...values }, values);
  const enrollment = await writeEnrollment(tx, before.id, values);
  const dates = { dueAt: values.dueAt ?? null, expiresAt: values.expiresAt ?? null };
  await scheduleDates(schedule, [{ id: before.id, ...dates }]);
  emit(enrollmentUpdated, { data: dataOf(enrollment), record: enrollment, changes: audit });
  // The job that ends it had not run yet, but grades had no effect any more.
  const wasOver = values.expiresAt !== undefined && isPast(before.expiresAt);
  return wasOver ? catchUp({ tx, emit, schedule }, { id: before.id, endedAt: before.expiresAt }) : enrollment;
};
