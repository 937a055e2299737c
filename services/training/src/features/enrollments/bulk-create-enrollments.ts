import { actingUserId } from '@tandem/caller';
import { bulkEnrollmentLimits, enrollments } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { enrollInBulkJob, enrollmentJobs } from './bulk-jobs.ts';
import { checkDates } from './dates.ts';
import { lockOpenCourse } from './enroll.ts';
import { type Checked, checkLearners, enrollChecked } from './enroll-checked.ts';
import { learnerOf } from './learners.ts';
import { ownReturnError, rejectOwnReturn } from './reject-return.ts';

type Row = typeof enrollments.bulkCreateEnrollments;

export const bulkCreateEnrollments = ({ peers }: Pick<Tools, 'peers'>): Handler<Row, Checked> => ({
  async check({ body, caller }) {
    // A job reads them itself, portion by portion.
    if (body.learnerIds.length > bulkEnrollmentLimits.now) return [];
    return checkLearners(peers, caller, body.learnerIds.map(learnerOf));
  },
  async run({ body, caller, tx, emit, schedule, found }) {
    const { courseId, learnerIds } = body;
    const dates = { dueAt: body.dueAt ?? null, expiresAt: body.expiresAt ?? null };
    checkDates(dates, dates);
    const course = await lockOpenCourse(tx, courseId);
    if (learnerIds.length > bulkEnrollmentLimits.now) {
      // The job knows the permissions of the caller no more.
      for (const [index, learnerId] of learnerIds.entries())
        await rejectOwnReturn(tx, caller, learnerOf(learnerId), { courseId, field: `learnerIds.${index}` });
      const { permissions, features, narrow, teamIds, usage, performed, ...actor } = caller;
      const { id: kind, permission } = enrollments.bulkCreateEnrollments;
      const input = { courseId, learnerIds, ...dates, actor };
      const total = learnerIds.length;
      const job = await enrollmentJobs.start(tx.sql, { kind, permission, caller, input, total });
      await schedule(enrollInBulkJob, [{ jobId: job.jobId, done: 0 }]);
      return { job };
    }
    const terms = { ...dates, source: 'bulk', createdBy: actingUserId(caller) ?? null } as const;
    const checked: Checked = [];
    for (const one of found) {
      const problem = one.problem ?? (await ownReturnError(tx, caller, one.learner, { courseId, field: 'learnerId' }));
      checked.push(problem ? { ...one, problem } : one);
    }
    const results = await enrollChecked({ tx, emit, schedule }, course, checked, terms);
    const failed = results.filter(({ error }) => error).length;
    return { succeeded: results.length - failed, failed, results };
  },
});
