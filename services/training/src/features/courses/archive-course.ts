import type { courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockCourse } from './course.ts';
import { setStatus } from './set-status.ts';

export const archiveCourse: Handler<typeof courses.archiveCourse> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const row = await lockCourse(tx, params.id);
  ifMatch(row);
  return setStatus({ tx, emit, schedule }, row, { to: 'archived' });
};
