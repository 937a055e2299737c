import { diff, fail, failField } from '@tandem/service';
import { isScored, type lessons, lessonUpdated } from '@tandem/training-contract';
import type { Handler, Tx } from '../../handler.ts';
import { scheduleEnd } from '../attempts/end-attempts.job.ts';
import { changeContent } from '../content/change-content.ts';
import { checkReleases, renumberLessons } from '../content/lesson-order.ts';
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
import { asLesson, detailOf, findLesson, type LessonRow, lockLesson, toSettingColumns } from './lesson.ts';
import { settleLesson } from './settle-lesson.ts';

// After every lesson of the module, until the lessons are numbered again.
const atEnd = 2_000_000;
// Changes of these fields, and of questions, decide which lessons are taken and how they are passed.
const structure = ['moduleId', 'type', 'required', 'completion', 'release', 'quiz'] as const;
// The type comes first, because another one resets the other fields.
const judged = ['type', 'required', 'completion', 'quiz'] as const;

interface Found extends CheckedLesson {
  version: number;
}

export const updateLesson = (tools: LessonTools): Handler<typeof lessons.updateLesson, Found> => ({
  async check({ params, body, caller, tx }) {
    const { fileId, version, ...before } = asLesson(await findLesson(tx, params.id));
    const type = body.type ?? before.type;
    const former = { type: before.type, fileId };
    return { version, ...(await checkMaterial(tools, body, { type, caller, tx, before: former })) };
  },
  async run({ params, body, found, caller, tx, emit, schedule, ifMatch }) {
    const { row, course } = await lockLesson(tx, params.id);
    const before = asLesson(row);
    ifMatch(before);
    // The content was cleaned, and the file linked, for the lesson as it was.
    if (found.version !== before.version) throw fail('lesson_changed');
    const { content: _content, completion: _completion, quiz: _quiz, questions: sent, ...fields } = body;
    const settings = settleLesson(before, { ...body, ...found });
    const { isEmpty, values, audit } = diff(before, { ...fields, ...settings });
    const requested = settings.type === 'quiz' ? sent && readQuestions(sent) : [];
    if (sent?.length && settings.type !== 'quiz') throw failField('questions', 'Are only for lessons of the type quiz');
    await checkModule(tx, course.id, values.moduleId);
    await checkOpener(tx, course.id, values.release);
    const count = requested?.length ?? (await tx.question.count({ where: { lessonId: row.id } }));
    await checkDraws(tx, settings.quiz?.draw ?? [], count);
    checkShown(caller, values.quiz);
    const isAsked = requested && (await writeQuestions(tx, row.id, requested));
    const packageId = await packageIdOf(tx, row, { settings, found });
    const hasNewPackage = settings.type === 'scorm' && packageId !== row.scormPackageId;
    rejectSelfJudge(caller, course, judgedField(values, { isAsked, hasNewPackage }));
    if (isEmpty && !isAsked && packageId === row.scormPackageId)
      return detailOf(tx, before, { caller, fileUrl: found.fileUrl });
    const { completion, release, quiz, ...plain } = values;
    await tx.lesson.updateMany({
      where: { id: row.id },
      data: {
        ...plain,
        ...toSettingColumns({ ...values }),
        scormPackageId: packageId,
        ...(values.moduleId !== undefined && { order: atEnd }),
        version: { increment: 1 },
      },
    });
    if (values.moduleId !== undefined) await renumberLessons(tx, course.id);
    if (values.moduleId !== undefined || values.release)
      await checkReleases(tx, course.id, values.release ? 'release.lessonId' : 'moduleId');
    await checkLessonComplete(tx, course, row.id);
    const scoring = judged.find((field) => field in values);
    if (scoring && course.status !== 'draft' && (isScored(before) || isScored(settings)))
      await checkPassScore(tx, course.id, scoring);
    const isStructure = isAsked === true || structure.some((field) => field in values);
    await changeContent({ tx, schedule }, course, { isStructure });
    if (values.type) await scheduleEnd(schedule, { lessonId: row.id, type: values.type });
    const [written] = await tx.lesson.findMany({ where: { id: row.id } });
    if (!written) throw fail('not_found');
    const lesson = asLesson(written);
    // The audit log does not store the material, which can have 100,000 characters.
    const { content: _material, ...changes } = audit;
    const ids = { lessonId: lesson.id, courseId: course.id };
    emit(lessonUpdated, { data: ids, record: lesson, changes });
    return detailOf(tx, lesson, { caller, fileUrl: found.fileUrl });
  },
});

/** The changed field that decides who passes the lesson. */
function judgedField(
  values: object,
  { isAsked, hasNewPackage }: { isAsked: boolean | undefined; hasNewPackage: boolean },
): string | undefined {
  const field = judged.find((one) => one in values);
  return field ?? (isAsked ? 'questions' : hasNewPackage ? 'fileId' : undefined);
}

/** The package after a write: the new one, none for another type, or the one that the lesson has. */
async function packageIdOf(
  tx: Tx,
  { scormPackageId }: LessonRow,
  { settings, found }: { settings: { type: string }; found: Found },
): Promise<number | null> {
  if (settings.type !== 'scorm') return null;
  return found.scorm ? storePackage(tx, found.scorm) : scormPackageId;
}
