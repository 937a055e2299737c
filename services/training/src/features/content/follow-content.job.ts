import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { updateStanding } from '../progress/advance.ts';

/** The job that recounts running enrolments after the structure of their course has changed. */
export const followContentJob = {
  name: 'follow-content',
  payload: z.object({ courseId: id('course'), contentVersion: z.int(), after: z.int().default(0) }),
};

// Each is locked and recounted, with its events.
const batchMax = 100;

/** Recounts running enrolments batch by batch. The job of an older version leaves the rest to the one of the newer. */
export const followContent = job({
  ...followContentJob,
  rests: true,
  async run({ payload, finish }: JobContext<z.output<typeof followContentJob.payload>, Tx>) {
    const { courseId, contentVersion, after } = payload;
    await finish(async (inside) => {
      const { tx, schedule } = inside;
      const course = await tx.course.findFirst({ where: { id: courseId }, select: { contentVersion: true } });
      if (!course || course.contentVersion > contentVersion) return;
      const running = await tx.sql<{ id: number }>`
        SELECT id FROM enrollment WHERE course_id = ${courseId} AND id > ${after}::bigint
          AND status IN ('enrolled', 'in_progress')
        ORDER BY id LIMIT ${batchMax}::int FOR UPDATE`;
      for (const enrollment of running) await updateStanding(inside, enrollment.id);
      const last = running.at(-1);
      if (last && running.length === batchMax) await schedule(followContentJob, [{ ...payload, after: last.id }]);
    });
  },
});
