import { Readable } from 'node:stream';
import { actingUserId, type Caller } from '@tandem/caller';
import { allows, id, type jobErrorOperations } from '@tandem/contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { backgroundJobs, fail, toCsv } from '@tandem/service';
import { enrollments } from '@tandem/training-contract';
import { z } from 'zod';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkLearners, enrollChecked } from './enroll-checked.ts';
import { learnerOf } from './learners.ts';

export const enrollmentJobs = backgroundJobs('training');

/** The job that enrols many learners, portion by portion. */
export const enrollInBulkJob = {
  name: 'enroll-in-bulk',
  payload: z.object({ jobId: id('job'), done: z.int() }),
};
type Payload = z.output<typeof enrollInBulkJob.payload>;

// The course is locked while a portion is stored.
const portion = 250;

const Input = z.object({
  courseId: z.int(),
  learnerIds: z.array(z.int()),
  dueAt: z.coerce.date().nullable(),
  expiresAt: z.coerce.date().nullable(),
  actor: z.custom<
    Omit<Caller, 'permissions' | 'tenantId' | 'environment'> & Pick<Caller, 'tenantId' | 'environment'>
  >(),
});

export const enrollInBulk = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...enrollInBulkJob,
    rests: true,
    async run({ payload: { jobId, done }, tx, outside, finish }: JobContext<Payload, Tx>) {
      const found = await enrollmentJobs.find(tx.sql, jobId);
      if (!found || found.completedAt) return;
      const { courseId, learnerIds, dueAt, expiresAt, actor } = Input.parse(found.input);
      const learners = learnerIds.slice(done, done + portion).map(learnerOf);
      const caller = { ...actor, permissions: [] };
      const checked = await outside(() => checkLearners(peers, caller, learners));
      await finish(async (inside) => {
        const { sql } = inside.tx;
        const course = await inside.tx.course.lockFirst({ where: { id: courseId, deletedAt: null }, sharesKey: true });
        if (course?.status !== 'published') {
          const message = 'The course is not published any more; the other learners are not enrolled';
          return enrollmentJobs.fail(sql, jobId, { code: 'not_published', message });
        }
        const terms = { dueAt, expiresAt, source: 'bulk', createdBy: actingUserId(caller) ?? null } as const;
        const results = await enrollChecked(inside, course, checked, terms);
        const errors = results.flatMap(({ learnerId, error }) =>
          error ? [{ id: learnerId, ...error, errors: [] }] : [],
        );
        const total = learnerIds.length;
        const now = done + learners.length;
        await enrollmentJobs.progress(sql, jobId, { done: now, total, errors });
        if (now < total) return inside.schedule(enrollInBulkJob, [{ jobId, done: now }]).then(() => undefined);
        const failed = (await enrollmentJobs.errorsOf(sql, jobId)).length;
        await enrollmentJobs.complete(sql, jobId, { result: { succeeded: total - failed, failed }, total });
      }, actor);
    },
    async giveUp({ payload: { jobId }, tx }: GiveUpContext<Payload, Tx>) {
      const message = 'The enrolment failed repeatedly; send the remaining learners again';
      await enrollmentJobs.fail(tx.sql, jobId, { code: 'enrollment_failed', message });
    },
  });

export const getJobErrors =
  ({ ids }: Pick<Tools, 'ids'>): Handler<typeof jobErrorOperations.getJobErrors> =>
  async ({ params, tx, caller }) => {
    const found = await enrollmentJobs.findReadable(tx.sql, params.id, caller);
    if (!found) throw fail('not_found');
    const isCreator = found.userId !== null && found.userId === actingUserId(caller);
    if (!isCreator && allows(caller.permissions, enrollments.listEnrollments.permission) !== 'all')
      throw fail('not_found');
    const lines = (await enrollmentJobs.errorsOf(tx.sql, params.id)).map((one) => [
      ids.encode('learner', caller.tenantId as number, one.id),
      one.code,
      // Messages name courses by their number.
      one.message.replaceAll(/ \(‹course \d+›\)/g, ''),
      '',
    ]);
    return {
      body: Readable.from([toCsv([['id', 'code', 'message', 'fields'], ...lines])]),
      type: 'text/csv; charset=utf-8',
      disposition: { kind: 'attachment', filename: 'errors.csv' },
    };
  };
