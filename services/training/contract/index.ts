// Contract of the training service: courses, lessons and their questions, enrolments, progress, attempts and certificates.
import { jobErrorOperations, jobOperations, personalDataOperations, recordPages } from '@tandem/contract';
import { attempts } from './attempts.ts';
import { certificates } from './certificates.ts';
import { internalCompletions } from './completions.ts';
import { courses } from './courses.ts';
import { enrollmentRules } from './enrollment-rules.ts';
import { enrollments } from './enrollments.ts';
import { internalRebuilds } from './internal.ts';
import { lessons } from './lessons.ts';
import { modules } from './modules.ts';
import { internalNames } from './names.ts';
import { portalTraining } from './portal-training.ts';
import { progress } from './progress.ts';
import { questionBanks } from './question-banks.ts';
import { scorm } from './scorm.ts';
import { xapiStatements } from './statements.ts';
import { statistics } from './statistics.ts';
import { statisticsReports } from './statistics-reports.ts';

export * from './attempts.ts';
export * from './certificates.ts';
export * from './completions.ts';
export * from './course.ts';
export * from './courses.ts';
export * from './enrollment.ts';
export * from './enrollment-rules.ts';
export * from './enrollments.ts';
export * from './internal.ts';
export * from './learner-notices.ts';
export * from './lesson.ts';
export * from './lesson-settings.ts';
export * from './lessons.ts';
export * from './module.ts';
export * from './modules.ts';
export * from './names.ts';
export * from './portal-training.ts';
export * from './progress.ts';
export * from './question-banks.ts';
export * from './questions.ts';
export * from './scorm.ts';
export * from './scorm-package.ts';
export * from './statements.ts';
export * from './statistics.ts';
export * from './statistics-reports.ts';

export const training = {
  ...courses,
  ...modules,
  ...lessons,
  ...questionBanks,
  ...enrollments,
  ...enrollmentRules,
  ...progress,
  ...attempts,
  ...certificates,
  ...scorm,
  ...xapiStatements,
  ...statistics,
  ...statisticsReports,
  ...portalTraining,
  ...internalCompletions,
  ...internalNames,
  ...recordPages,
  ...internalRebuilds,
  ...jobOperations,
  ...jobErrorOperations,
  ...personalDataOperations,
};
