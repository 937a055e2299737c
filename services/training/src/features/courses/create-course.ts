import { actingUserId } from '@tandem/caller';
import { courseCreated, type courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourse } from './course.ts';

export const createCourse: Handler<typeof courses.createCourse> = async ({ body, caller, tx, emit }) => {
  const row = await tx.course.create({ data: { ...body, createdBy: actingUserId(caller) ?? null } });
  const course = await asCourse(tx, row);
  emit(courseCreated, { data: { courseId: course.id }, record: course });
  return course;
};
