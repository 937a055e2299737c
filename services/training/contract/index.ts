// Contract of the training service: courses with their modules and lessons, question banks, and enrolments.
import { courses } from './courses.ts';
import { enrollments } from './enrollments.ts';
import { lessons } from './lessons.ts';
import { modules } from './modules.ts';
import { internalNames } from './names.ts';
import { questionBanks } from './question-banks.ts';

export * from './course.ts';
export * from './courses.ts';
export * from './enrollments.ts';
export * from './lesson.ts';
export * from './lesson-settings.ts';
export * from './lessons.ts';
export * from './module.ts';
export * from './modules.ts';
export * from './names.ts';
export * from './question-banks.ts';
export * from './questions.ts';

export const training = {
  ...courses,
  ...modules,
  ...lessons,
  ...questionBanks,
  ...enrollments,
  ...internalNames,
};
