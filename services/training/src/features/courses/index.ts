import type { Handlers } from '@tandem/service';
import type { courses } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { archiveCourse } from './archive-course.ts';
import { createCourse } from './create-course.ts';
import { deleteCourse } from './delete-course.ts';
import { duplicateCourse } from './duplicate-course.ts';
import { getCourse } from './get-course.ts';
import { listCourses } from './list-courses.ts';
import { publishCourse } from './publish-course.ts';
import { restoreCourse } from './restore-course.ts';
import { unpublishCourse } from './unpublish-course.ts';
import { updateCourse } from './update-course.ts';

export const courseHandlers = (tools: Pick<Tools, 'peers'>) =>
  ({
    createCourse,
    listCourses,
    getCourse,
    updateCourse: updateCourse(tools),
    deleteCourse,
    restoreCourse,
    duplicateCourse,
    publishCourse: publishCourse(tools),
    archiveCourse,
    unpublishCourse,
  }) satisfies Handlers<typeof courses, Tx>;
