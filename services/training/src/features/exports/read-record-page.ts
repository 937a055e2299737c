import { recordPagesHandler } from '@tandem/service';
import { attempts, certificates, courses, enrollments } from '@tandem/training-contract';
import type { Tools } from '../../handler.ts';
import { listAttempts } from '../attempts/list-attempts.ts';
import { listCertificates } from '../certificates/list-certificates.ts';
import { listCourses } from '../courses/list-courses.ts';
import { listEnrollments } from '../enrollments/list-enrollments.ts';

/** The lists of training that other services export. */
export const readRecordPage = (tools: Pick<Tools, 'publicUrl'>) =>
  recordPagesHandler([
    { row: courses.listCourses, handler: listCourses },
    { row: enrollments.listEnrollments, handler: listEnrollments },
    { row: certificates.listCertificates, handler: listCertificates(tools) },
    { row: attempts.listAttempts, handler: listAttempts },
  ]);
