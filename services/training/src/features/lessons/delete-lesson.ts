import { idInText } from '@tandem/contract';
import { fail } from '@tandem/service';
import { isScored, lessonDeleted, type lessons } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { scheduleEnd } from '../attempts/end-attempts.job.ts';
import { changeContent } from '../content/change-content.ts';
import { renumberLessons } from '../content/lesson-order.ts';
import { checkPassScore } from '../courses/publishable.ts';
import { rejectSelfJudge } from '../progress/teacher.ts';
import { asLesson, lockLesson } from './lesson.ts';

export const deleteLesson: Handler<typeof lessons.deleteLesson> = async (context) => {
  const { params, caller, tx, emit, schedule, ifMatch } = context;
  const { row, course } = await lockLesson(tx, params.id);
  const lesson = asLesson(row);
  ifMatch(lesson);
  rejectSelfJudge(caller, course, row.required ? 'id' : undefined);
  const [opened] = await tx.sql<{ id: number }>`
    SELECT id FROM lesson WHERE course_id = ${course.id} AND deleted_at IS NULL
      AND release->>'type' = 'after_lesson' AND release->>'lessonId' = ${String(row.id)} LIMIT 1`;
  if (opened)
    throw fail('lesson_needed', [
      { field: 'id', message: `${idInText('lesson', Number(opened.id))} opens after this lesson` },
    ]);
  if (course.status !== 'draft' && course.lessonsCount <= 1) throw fail('last_lesson');
  await tx.lesson.updateMany({
    where: { id: row.id },
    data: { deletedAt: new Date(), version: { increment: 1 } },
  });
  if (course.status !== 'draft' && row.required && isScored(row)) await checkPassScore(tx, course.id, 'id');
  await renumberLessons(tx, course.id);
  await changeContent({ tx, schedule }, course, { isStructure: true, lessons: -1 });
  await scheduleEnd(schedule, { lessonId: row.id });
  emit(lessonDeleted, {
    data: { lessonId: row.id, courseId: course.id },
    record: { ...lesson, version: lesson.version + 1 },
  });
  return { id: row.id, deleted: true };
};
