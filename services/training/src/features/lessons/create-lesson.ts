import { lessonCreated, type lessons } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockCourse } from '../courses/course.ts';
import { asLesson } from './lesson.ts';

export const createLesson: Handler<typeof lessons.createLesson> = async ({ params, body, tx, emit }) => {
  // Locks the course, so that concurrent lessons get different positions.
  const course = await lockCourse(tx, params.id);
  const last = await tx.lesson.findFirst({
    where: { courseId: course.id },
    orderBy: { order: 'desc' },
    select: { order: true },
  });
  const row = await tx.lesson.create({ data: { ...body, courseId: course.id, order: (last?.order ?? -1) + 1 } });
  // The course contains the number of lessons, so a new lesson is a new version of it.
  await tx.course.updateManyAndReturn({ where: { id: course.id }, data: { version: { increment: 1 } } });
  const lesson = asLesson(row);
  emit(lessonCreated, { data: { lessonId: lesson.id, courseId: course.id }, record: lesson });
  return lesson;
};
