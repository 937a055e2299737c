import { id, listQuery, operations, page, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { attemptErrors, attempts, LessonAttempt, submission, submitErrors } from './attempts.ts';
import { Certificate } from './certificates.ts';
import { Course } from './course.ts';
import { Enrollment, EnrollmentStatus, enrollmentCreated, enrollments } from './enrollments.ts';
import {
  EnrollmentProgress,
  LessonProgress,
  learningErrors,
  lessonOfEnrollment,
  progress,
  progressReport,
} from './progress.ts';
import { launchErrors, ScormLaunch, scorm } from './scorm.ts';

/** The fields of a course that portal users can see. */
export const PortalCourse = Course.pick({
  id: true,
  title: true,
  description: true,
  category: true,
  status: true,
  estimatedMinutes: true,
  passScore: true,
  sequential: true,
  validDays: true,
  modulesCount: true,
  lessonsCount: true,
  publishedAt: true,
  version: true,
  createdAt: true,
  updatedAt: true,
});

const base = '/v1/partners/portal/training';
const portal = { audience: 'portal', permission: signedIn } as const;

/** Training in the partner portal: the learner is the partner of the session. */
export const portalTraining = operations({
  listPortalCourses: {
    ...portal,
    method: 'GET',
    path: `${base}/courses`,
    summary: 'List courses in the portal',
    description: 'Returns published courses for partners, newest first.',
    query: listQuery(['createdAt', 'title']),
    reply: page(PortalCourse),
    message: 'Courses retrieved',
  },
  getPortalCourse: {
    ...portal,
    method: 'GET',
    path: `${base}/courses/:id`,
    summary: 'Retrieve a course in the portal',
    description: 'An archived course can be retrieved by enrolled partners only.',
    params: z.object({ id: id('course') }),
    reply: PortalCourse,
    message: 'Course retrieved',
  },
  createPortalEnrollment: {
    ...portal,
    method: 'POST',
    path: `${base}/enrollments`,
    summary: 'Enrol in a course in the portal',
    description: 'Enrols the partner of the session.',
    body: z.object({ courseId: id('course') }),
    reply: Enrollment,
    status: 201,
    message: 'Enrolment created',
    emits: [enrollmentCreated],
    errors: enrollments.createEnrollment.errors,
  },
  listPortalEnrollments: {
    ...portal,
    method: 'GET',
    path: `${base}/enrollments`,
    summary: 'List the enrolments of the partner in the portal',
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: EnrollmentStatus.optional() }),
    reply: page(Enrollment),
    message: 'Enrolments retrieved',
  },
  getPortalEnrollmentProgress: {
    ...portal,
    method: 'GET',
    path: `${base}/enrollments/:id/progress`,
    summary: 'Retrieve the progress of an enrolment in the portal',
    params: z.object({ id: id('enrollment') }),
    reply: EnrollmentProgress,
    message: 'Progress retrieved',
  },
  recordPortalProgress: {
    ...portal,
    method: 'POST',
    path: `${base}/enrollments/:id/lessons/:lessonId/progress`,
    summary: 'Report progress in a lesson in the portal',
    params: lessonOfEnrollment,
    body: progressReport,
    reply: LessonProgress,
    message: 'Progress recorded',
    emits: progress.recordProgress.emits,
    errors: learningErrors,
  },
  completePortalLesson: {
    ...portal,
    method: 'POST',
    path: `${base}/enrollments/:id/lessons/:lessonId/complete`,
    summary: 'Complete a lesson in the portal',
    params: lessonOfEnrollment,
    reply: LessonProgress,
    example: { status: 'completed', percent: 100 },
    message: 'Lesson completed',
    emits: progress.completeLesson.emits,
    errors: learningErrors,
  },
  launchPortalLesson: {
    ...portal,
    method: 'POST',
    path: `${base}/enrollments/:id/lessons/:lessonId/launch`,
    summary: 'Launch a SCORM lesson in the portal',
    description:
      'As for users: the page works without credentials until it expires, and the one that was launched last can record.',
    params: lessonOfEnrollment,
    reply: ScormLaunch,
    message: 'Lesson launched',
    emits: scorm.launchLesson.emits,
    errors: launchErrors,
  },
  startPortalAttempt: {
    ...portal,
    method: 'POST',
    path: `${base}/enrollments/:id/lessons/:lessonId/attempts`,
    summary: 'Begin an attempt at a quiz or assignment in the portal',
    params: lessonOfEnrollment,
    reply: LessonAttempt,
    status: 201,
    mayExist: true,
    message: 'Attempt started',
    emits: attempts.startAttempt.emits,
    errors: attemptErrors,
  },
  submitPortalAttempt: {
    ...portal,
    method: 'POST',
    path: `${base}/attempts/:id/submit`,
    summary: 'Submit an attempt in the portal',
    params: z.object({ id: id('attempt') }),
    body: submission,
    reply: LessonAttempt,
    example: { status: 'graded', score: 100, passed: true },
    message: 'Attempt submitted',
    emits: attempts.submitAttempt.emits,
    errors: submitErrors,
  },
  listPortalCertificates: {
    ...portal,
    method: 'GET',
    path: `${base}/certificates`,
    summary: 'List the certificates of the partner in the portal',
    query: listQuery(['createdAt']).omit({ search: true }),
    reply: page(Certificate),
    message: 'Certificates retrieved',
  },
});
