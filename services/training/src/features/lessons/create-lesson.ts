import { fail, failField } from '@tandem/service';
import { isScored, lessonCreated, type lessons, lessonsMax } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { checkReleases, renumberLessons } from '../content/lesson-order.ts';
import { lockCourse } from '../courses/course.ts';
import { checkLessonComplete, checkPassScore } from '../courses/publishable.ts';
import { rejectSelfJudge } from '../progress/teacher.ts';
import { readQuestions, writeQuestions } from '../questions/lesson-questions.ts';
import { storePackage } from '../scorm/stored-package.ts';
import {
  type CheckedLesson,
  checkDraws,
  checkMaterial,
  checkModule,
  checkOpener,
  checkShown,
  type LessonTools,
} from './check-lesson.ts';
import { asLesson, detailOf, toSettingColumns } from './lesson.ts';
import { settleLesson } from './settle-lesson.ts';

const atEnd = 2_000_000;

export const createLesson = (tools: LessonTools): Handler<typeof lessons.createLesson, CheckedLesson> => ({
  check: ({ body, caller, tx }) => checkMaterial(tools, body, { type: body.type, caller, tx }),
  async run({ params, body, found, caller, tx, emit, schedule }) {
    const { title, required, durationSeconds = null, moduleId = null, release = { type: 'immediate' } } = body;
    const { completion, quiz, ...material } = settleLesson(undefined, { ...body, ...found });
    const questions = readQuestions(body.questions ?? []);
    if (questions.length && !quiz) throw failField('questions', 'Are only for lessons of the type quiz');
    const course = await lockCourse(tx, params.id);
    const isPassed = required && (material.type === 'quiz' || material.type === 'scorm');
    rejectSelfJudge(caller, course, isPassed ? 'type' : undefined);
    if (course.lessonsCount >= lessonsMax) throw fail('too_many_lessons');
    await checkModule(tx, course.id, moduleId);
    await checkOpener(tx, course.id, release);
    await checkDraws(tx, quiz?.draw ?? [], questions.length);
    checkShown(caller, quiz);
    const scormPackageId = found.scorm ? await storePackage(tx, found.scorm) : null;
    const { id } = await tx.lesson.create({
      data: {
        ...{ courseId: course.id, moduleId, title, required, durationSeconds, scormPackageId, order: atEnd },
        ...material,
        ...toSettingColumns({ completion, release, quiz }),
      },
    });
    await writeQuestions(tx, id, questions);
    await renumberLessons(tx, course.id);
    await checkReleases(tx, course.id, 'release.lessonId');
    await checkLessonComplete(tx, course, id);
    if (required && isScored(material) && course.status !== 'draft') await checkPassScore(tx, course.id, 'completion');
    await changeContent({ tx, schedule }, course, { isStructure: true, lessons: 1 });
    const row = await tx.lesson.findFirst({ where: { id } });
    if (!row) throw fail('not_found');
    const lesson = asLesson(row);
    emit(lessonCreated, { data: { lessonId: id, courseId: course.id }, record: lesson });
    return detailOf(tx, lesson, { caller, fileUrl: found.fileUrl });
  },
});
