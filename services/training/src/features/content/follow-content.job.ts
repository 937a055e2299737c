import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { updateStanding } from '../progress/advance.ts';
import { followContentJob } from './follow-content-job.ts';

// Each is locked and recounted, with its events.
const batchMax = 100;

/** Recounts the running enrolments of a course batch by batch, after its content has changed. A later change starts again. */
export const followContent = job({
  ...followContentJob,
  rests: true,
  async run({ payload, finish }: JobContext<z.output<typeof followContentJob.payload>, Tx>) {
    const { courseId, contentVersion, after = 0 } = payload;
    await finish(async (inside) => {
      const { tx, schedule } = inside;
      const course = await tx.course.findFirst({ where: { id: courseId } });
      if (course?.contentVersion !== contentVersion) return;
      const running = await tx.sql<{ id: number }>`
        SELECT id FROM enrollment WHERE course_id = ${courseId} AND id > ${after}::bigint
          AND status IN ('enrolled', 'in_progress') AND content_version < ${contentVersion}::int
        ORDER BY id LIMIT ${batchMax}::int FOR NO KEY UPDATE`;
      for (const enrollment of running) await updateStanding(inside, enrollment.id);
      const last = running.at(-1);
      if (last && running.length === batchMax) await schedule(followContentJob, [{ ...payload, after: last.id }]);
    });
  },
});
