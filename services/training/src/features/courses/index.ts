import type { Handlers } from '@tandem/service';
import type { courses } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { archiveCourse } from './archive-course.ts';
import { createCourse } from './create-course.ts';
import { getCourse } from './get-course.ts';
import { listCourses } from './list-courses.ts';
import { publishCourse } from './publish-course.ts';

export const courseHandlers = {
  createCourse,
  listCourses,
  getCourse,
  publishCourse,
  archiveCourse,
} satisfies Handlers<typeof courses, Tx>;
