import type { jobErrorOperations, jobOperations } from '@tandem/contract';
import type { Handlers } from '@tandem/service';
import type { enrollments } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { bulkCreateEnrollments } from './bulk-create-enrollments.ts';
import { enrollmentJobs, getJobErrors } from './bulk-jobs.ts';
import { createEnrollment } from './create-enrollment.ts';
import { extendEnrollment } from './extend-enrollment.ts';
import { getEnrollment } from './get-enrollment.ts';
import { listEnrollments } from './list-enrollments.ts';
import { restartEnrollment } from './restart-enrollment.ts';
import { updateEnrollment } from './update-enrollment.ts';
import { withdrawEnrollment } from './withdraw-enrollment.ts';

export const enrollmentHandlers = (tools: Tools) =>
  ({
    createEnrollment: createEnrollment(tools),
    listEnrollments,
    getEnrollment,
    updateEnrollment,
    withdrawEnrollment,
    extendEnrollment: extendEnrollment(tools),
    restartEnrollment: restartEnrollment(tools),
    bulkCreateEnrollments: bulkCreateEnrollments(tools),
    getJob: enrollmentJobs.getJob(),
    getJobErrors: getJobErrors(tools),
  }) satisfies Handlers<typeof enrollments & typeof jobOperations & typeof jobErrorOperations, Tx>;
