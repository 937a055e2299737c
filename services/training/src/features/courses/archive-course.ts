import { courseArchived, type courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockCourse, moveCourse } from './course.ts';

export const archiveCourse: Handler<typeof courses.archiveCourse> = async ({ params, tx, emit, ifMatch }) => {
  const row = await lockCourse(tx, params.id);
  ifMatch(row);
  const course = await moveCourse(tx, row, 'archived');
  emit(courseArchived, { data: { courseId: course.id }, record: course });
  return course;
};
