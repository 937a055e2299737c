import { flag, id, listQuery, name, operations, page, sharedErrors, text } from '@tandem/contract';
import { z } from 'zod';
import {
  Course,
  CourseAudience,
  CourseDetail,
  CourseStatus,
  courseArchived,
  courseCreated,
  courseDeleted,
  coursePublished,
  courseRestored,
  courseUnpublished,
  courseUpdated,
  restorableCourseDays,
  writableCourse,
} from './course.ts';

const withId = z.object({ id: id('course') });
const refused = { transition_refused: sharedErrors.transition_refused };
const cycle = {
  prerequisite_cycle: [409, 'The prerequisites would form a cycle; remove a course that requires this one'],
} as const;
const enrolled = {
  course_in_use: [409, 'The course has enrolments that were not withdrawn; archive it instead'],
} as const;
const changedMeanwhile = { course_changed: [409, 'The course was changed at the same time; try again'] } as const;
const publishChecks =
  'The course needs a lesson. Each quiz needs questions, banks with enough questions for its draws, and each file must be available. What is missing is listed by lesson (422).';

export const courses = operations({
  createCourse: {
    method: 'POST',
    path: '/v1/training/courses',
    permission: 'training:write',
    feature: 'training',
    summary: 'Create a course',
    description: 'The course is a draft until it is published.',
    body: z.object({
      title: name(200),
      audience: CourseAudience.default('both'),
      sequential: z.boolean().default(false),
      notifyLearners: z.boolean().default(true),
      ...writableCourse,
    }),
    reply: Course,
    status: 201,
    message: 'Course created',
    emits: [courseCreated],
  },
  listCourses: {
    method: 'GET',
    path: '/v1/training/courses',
    permission: 'training:read',
    narrows: true,
    summary: 'List courses',
    description: '`search` covers the title.',
    query: listQuery(['createdAt', 'title']).extend({
      status: CourseStatus.optional(),
      audience: CourseAudience.optional(),
      category: text(100)
        .meta({ examples: ['Sales'] })
        .optional(),
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
    }),
    reply: page(Course),
    message: 'Courses retrieved',
  },
  getCourse: {
    method: 'GET',
    path: '/v1/training/courses/:id',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve a course',
    description:
      'Returns the course with its modules and lessons, without their material. Retrieve a lesson to get its material.',
    params: withId,
    reply: CourseDetail,
    message: 'Course retrieved',
  },
  updateCourse: {
    method: 'PATCH',
    path: '/v1/training/courses/:id',
    permission: 'training:write',
    feature: 'training',
    checksPermissions: true,
    summary: 'Update a course',
    description:
      'Changes the given fields; objects and arrays are replaced as a whole. `status` publishes, archives or unpublishes the course by the same rules as the operations for it, after the other changes. Completed enrolments stay completed. `passScore`, `prerequisiteCourseIds` and `validDays` of a course that has been published need the permission `training:manage`, because they decide who passes.',
    params: withId,
    body: z.object({
      title: name(200).optional(),
      audience: CourseAudience.optional(),
      sequential: z.boolean().optional(),
      notifyLearners: z.boolean().optional(),
      ...writableCourse,
      status: CourseStatus.optional(),
    }),
    reply: Course,
    message: 'Course updated',
    emits: [courseUpdated, coursePublished, courseArchived, courseUnpublished],
    errors: { ...cycle, ...refused, ...enrolled, ...changedMeanwhile },
  },
  deleteCourse: {
    method: 'DELETE',
    path: '/v1/training/courses/:id',
    permission: 'training:delete',
    summary: 'Delete a course',
    description: `You can restore the course for ${restorableCourseDays} days. Certificates and completed enrolments stay. Enrolments in progress, and courses that require this one, prevent it.`,
    params: withId,
    reply: z.object({ id: id('course'), deleted: z.literal(true).describe('Always true') }),
    message: 'Course deleted',
    emits: [courseDeleted],
    errors: {
      live_enrollments: [409, 'The course has enrolments in progress; withdraw them first, or archive the course'],
      course_required: [409, 'Another course requires this one; remove it from the prerequisites there first'],
    },
  },
  restoreCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/restore',
    permission: 'training:write',
    feature: 'training',
    summary: 'Restore a deleted course',
    description: `Restores a course that was deleted within the last ${restorableCourseDays} days.`,
    params: withId,
    reply: Course,
    message: 'Course restored',
    emits: [courseRestored],
    errors: { not_deleted: sharedErrors.not_deleted },
  },
  duplicateCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/duplicate',
    permission: 'training:write',
    feature: 'training',
    summary: 'Duplicate a course',
    checksPermissions: true,
    description:
      'Creates a draft with the settings, modules, lessons and questions of the course. A course with a quiz needs the permission `training:manage`, because the settings of the copy could show its answers.',
    params: withId,
    body: z.object({ title: name(200).describe('By default the title with “(copy)”').optional() }),
    reply: Course,
    status: 201,
    message: 'Course duplicated',
    emits: [courseCreated],
  },
  publishCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/publish',
    permission: 'training:write',
    feature: 'training',
    summary: 'Publish a course',
    description: `Publishes a draft or an archived course. ${publishChecks}`,
    params: withId,
    reply: Course,
    example: {
      status: 'published',
      allowedTransitions: ['archived', 'draft'],
      publishedAt: '2026-03-04T16:40:00.000Z',
    },
    message: 'Course published',
    emits: [coursePublished],
    errors: { ...refused, ...changedMeanwhile },
  },
  archiveCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/archive',
    permission: 'training:write',
    summary: 'Archive a course',
    description:
      'Archives a draft or a published course. Enrolled learners can finish it; new enrolments are rejected.',
    params: withId,
    reply: Course,
    example: { status: 'archived', allowedTransitions: ['published'] },
    message: 'Course archived',
    emits: [courseArchived],
    errors: refused,
  },
  unpublishCourse: {
    method: 'POST',
    path: '/v1/training/courses/:id/unpublish',
    permission: 'training:write',
    summary: 'Unpublish a course',
    description: 'A published course without enrolments becomes a draft again.',
    params: withId,
    reply: Course,
    message: 'Course unpublished',
    emits: [courseUnpublished],
    errors: { ...refused, ...enrolled },
  },
});
