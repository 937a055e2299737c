import type { Emit, Schedule } from '@tandem/events';
import { fail, transitionError } from '@tandem/service';
import {
  Course,
  courseArchived,
  coursePublished,
  courseStates,
  type courseStatuses,
  courseUnpublished,
} from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { examineSkipped } from '../enrollment-rules/examine-skipped.ts';
import { asCourse, type CourseRecord } from './course.ts';
import { checkPublishable, type FileCheck } from './publishable.ts';

type CourseStatus = (typeof courseStatuses)[number];

const columns = Course.pick({ status: true });
const events = { published: coursePublished, archived: courseArchived, draft: courseUnpublished };

/**
 * Changes the status of a locked course, with its event. Learners whom rules skipped before are examined again once it is
 * published.
 * @param files required to publish: the check of the files of this version
 * @throws 409 if the state table does not contain the change or enrolments prevent it, 422 if lessons are incomplete
 */
export async function setStatus(
  { tx, emit, schedule }: { tx: Tx; emit: Emit; schedule: Schedule },
  { id, status }: { id: number; status: string },
  { to, files }: { to: CourseStatus; files?: FileCheck | undefined },
): Promise<CourseRecord> {
  const allowed = courseStates.next(columns.parse({ status }).status);
  if (!allowed.includes(to)) throw fail('transition_refused', [transitionError(status, allowed)]);
  if (to === 'published') await checkPublishable(tx, id, files ?? { version: 0, faults: [] });
  if (to === 'draft') await checkNotEnrolled(tx, id);
  const [row] = await tx.course.updateManyAndReturn({
    where: { id },
    data: { status: to, ...(to === 'published' && { publishedAt: new Date() }), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  if (to === 'published') await examineSkipped({ tx, schedule }, row);
  const course = await asCourse(tx, row);
  emit(events[to], { data: { courseId: id }, record: course, changes: { status: { from: status, to } } });
  return course;
}

/** Enrolments lock the course too, so that none is added meanwhile. */
async function checkNotEnrolled(tx: Tx, courseId: number): Promise<void> {
  const where = { courseId, status: { not: 'withdrawn' } };
  if (await tx.enrollment.findFirst({ where, select: { id: true } })) throw fail('course_in_use');
}
