import type { Lesson, lessons } from '@tandem/training-contract';
import { lessonCreated } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { lockCourse } from '../courses/course.ts';

export const createLesson: Handler<typeof lessons.createLesson> = async ({ params, body, tx, emit }) => {
  // The course is locked, so that two lessons created at once get different positions.
  const course = await lockCourse(tx, params.id);
  const last = await tx.lesson.findFirst({
    where: { courseId: course.id },
    orderBy: { order: 'desc' },
    select: { order: true },
  });
  const row = await tx.lesson.create({ data: { ...body, courseId: course.id, order: (last?.order ?? -1) + 1 } });
  // A course shows its number of lessons, so a new lesson is a new version of the course.
  await tx.course.updateManyAndReturn({ where: { id: course.id }, data: { version: { increment: 1 } } });
  const lesson = row as unknown as z.output<typeof Lesson>;
  emit(lessonCreated, { data: { lessonId: lesson.id, courseId: course.id }, record: lesson });
  return lesson;
};
