// Contract of the training service: courses, lessons and enrolments.
import { courses } from './courses.ts';
import { enrollments } from './enrollments.ts';
import { lessons } from './lessons.ts';
import { internalNames } from './names.ts';

export * from './courses.ts';
export * from './enrollments.ts';
export * from './lesson-settings.ts';
export * from './lessons.ts';
export * from './names.ts';
export * from './questions.ts';

export const training = { ...courses, ...lessons, ...enrollments, ...internalNames };
