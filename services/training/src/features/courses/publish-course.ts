import { failField } from '@tandem/service';
import { coursePublished, type courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockCourse, moveCourse } from './course.ts';

export const publishCourse: Handler<typeof courses.publishCourse> = async ({ params, tx, emit, ifMatch }) => {
  const row = await lockCourse(tx, params.id);
  ifMatch(row);
  if (row.status !== 'published' && !(await tx.lesson.count({ where: { courseId: row.id } })))
    throw failField('lessons', 'The course has no lessons; add at least one before you publish it');
  const course = await moveCourse(tx, row, 'published', { publishedAt: new Date() });
  emit(coursePublished, { data: { courseId: course.id }, record: course });
  return course;
};
