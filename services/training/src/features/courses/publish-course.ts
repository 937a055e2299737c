import { fail } from '@tandem/service';
import type { courses } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { lockCourse } from './course.ts';
import { checkFiles, type FileCheck } from './publishable.ts';
import { setStatus } from './set-status.ts';

export const publishCourse = (tools: Pick<Tools, 'peers'>): Handler<typeof courses.publishCourse, FileCheck> => ({
  check: ({ params, caller, tx }) => checkFiles(tools, tx, { courseId: params.id, caller }),
  async run({ params, tx, emit, schedule, ifMatch, found: files }) {
    const row = await lockCourse(tx, params.id);
    ifMatch(row);
    if (files.version !== row.version) throw fail('course_changed');
    return setStatus({ tx, emit, schedule }, row, { to: 'published', files });
  },
});
