import { actingUserId } from '@tandem/caller';
import { courseCreated, type courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourse, certificateOf, toCertificateColumn } from './course.ts';
import { lockPrerequisites, writePrerequisites } from './prerequisites.ts';

export const createCourse: Handler<typeof courses.createCourse> = async ({ body, caller, tx, emit }) => {
  const { prerequisiteCourseIds, certificate, ...fields } = body;
  if (prerequisiteCourseIds?.length) await lockPrerequisites(tx);
  const row = await tx.course.create({
    data: {
      ...fields,
      certificate: toCertificateColumn(certificateOf(certificate) ?? null),
      createdBy: actingUserId(caller) ?? null,
    },
  });
  if (prerequisiteCourseIds?.length) await writePrerequisites(tx, row.id, prerequisiteCourseIds);
  const course = await asCourse(tx, row);
  emit(courseCreated, { data: { courseId: course.id }, record: course });
  return course;
};
