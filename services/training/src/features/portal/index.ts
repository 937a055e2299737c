import type { Handlers } from '@tandem/service';
import type { portalTraining } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { completePortalLesson } from './complete-portal-lesson.ts';
import { createPortalEnrollment } from './create-portal-enrollment.ts';
import { getPortalAttempt } from './get-portal-attempt.ts';
import { getPortalCertificateDownloadUrl } from './get-portal-certificate-download-url.ts';
import { getPortalCourse } from './get-portal-course.ts';
import { getPortalEnrollmentProgress } from './get-portal-enrollment-progress.ts';
import { getPortalLesson } from './get-portal-lesson.ts';
import { launchPortalLesson } from './launch-portal-lesson.ts';
import { listPortalCertificates } from './list-portal-certificates.ts';
import { listPortalCourses } from './list-portal-courses.ts';
import { listPortalEnrollments } from './list-portal-enrollments.ts';
import { recordPortalProgress } from './record-portal-progress.ts';
import { savePortalAttemptAnswers } from './save-portal-attempt-answers.ts';
import { startPortalAttempt } from './start-portal-attempt.ts';
import { submitPortalAttempt } from './submit-portal-attempt.ts';

export const portalTrainingHandlers = (tools: Tools) =>
  ({
    listPortalCourses,
    getPortalCourse,
    createPortalEnrollment: createPortalEnrollment(tools),
    listPortalEnrollments,
    getPortalEnrollmentProgress,
    getPortalLesson: getPortalLesson(tools),
    recordPortalProgress,
    completePortalLesson,
    launchPortalLesson: launchPortalLesson(tools),
    startPortalAttempt,
    getPortalAttempt,
    savePortalAttemptAnswers,
    submitPortalAttempt,
    listPortalCertificates: listPortalCertificates(tools),
    getPortalCertificateDownloadUrl: getPortalCertificateDownloadUrl(tools),
  }) satisfies Handlers<typeof portalTraining, Tx>;
