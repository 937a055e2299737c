import { fail, transitionError } from '@tandem/service';
import type { enrollments } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { endLive } from './end-live.ts';
import { isLive } from './enrollment.ts';
import { lockWithCourse } from './lock-with-course.ts';

export const withdrawEnrollment: Handler<typeof enrollments.withdrawEnrollment> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const { enrollment: before } = await lockWithCourse(tx, params.id);
  ifMatch(before);
  if (!isLive(before)) throw fail('transition_refused', [transitionError(before.status, [])]);
  return endLive({ tx, emit, schedule }, before, 'withdrawn', 'by_hand');
};
