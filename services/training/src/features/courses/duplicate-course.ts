import { actingUserId } from '@tandem/caller';
import { fail } from '@tandem/service';
import { courseCreated, type courses } from '@tandem/training-contract';
import type { Handler, Tx } from '../../handler.ts';
import { renumberLessons, renumberModules } from '../content/lesson-order.ts';
import { rejectMember } from '../progress/teacher.ts';
import { asCourse, certificateOf, lockCourse, toCertificateColumn } from './course.ts';
import { lockPrerequisites, writePrerequisites } from './prerequisites.ts';

const titleMax = 200;
const suffix = ' (copy)';

export const duplicateCourse: Handler<typeof courses.duplicateCourse> = async ({ params, body, caller, tx, emit }) => {
  await lockPrerequisites(tx);
  // Locked, so that its modules and lessons keep their positions, by which the copies find each other.
  const row = await lockCourse(tx, params.id);
  const source = await asCourse(tx, row);
  if (await hasQuestions(tx, source.id))
    rejectMember(caller, 'id', 'The copy would show answers of the quizzes to learners who have not taken them');
  await renumberModules(tx, source.id);
  await renumberLessons(tx, source.id);
  const { description, category, audience, estimatedMinutes, passScore, sequential, validDays, notifyLearners } =
    source;
  const title = body.title ?? `${source.title.slice(0, titleMax - suffix.length)}${suffix}`;
  const created = await tx.course.create({
    data: {
      ...{ title, description, category, audience, estimatedMinutes, passScore, sequential, validDays, notifyLearners },
      certificate: toCertificateColumn(certificateOf(source.certificate) ?? null),
      modulesCount: source.modulesCount,
      lessonsCount: source.lessonsCount,
      createdBy: actingUserId(caller) ?? null,
    },
  });
  await copyContent(tx, source.id, created.id);
  if (source.prerequisiteCourseIds.length) await writePrerequisites(tx, created.id, source.prerequisiteCourseIds);
  const [copy] = await tx.course.findMany({ where: { id: created.id } });
  if (!copy) throw fail('not_found');
  const course = await asCourse(tx, copy);
  emit(courseCreated, { data: { courseId: course.id }, record: course });
  return course;
};

/** Whether the course asks questions: its own ones, or some of a bank. */
async function hasQuestions(tx: Tx, courseId: number): Promise<boolean> {
  const [found] = await tx.sql`
    SELECT FROM lesson WHERE course_id = ${courseId} AND deleted_at IS NULL AND type = 'quiz' LIMIT 1`;
  return found !== undefined;
}

/** Copies modules, lessons and questions with a statement each: a course can have thousands of questions. */
async function copyContent(tx: Tx, fromId: number, toId: number): Promise<void> {
  await tx.sql`
    INSERT INTO module (course_id, title, description, "order")
    SELECT ${toId}, title, description, "order" FROM module WHERE course_id = ${fromId}`;
  await tx.sql`
    INSERT INTO lesson (course_id, module_id, title, type, content, file_id, scorm_package_id, duration_seconds, required,
      "order", completion, release, quiz)
    SELECT ${toId}, copy.id, lesson.title, type, content, file_id, scorm_package_id, duration_seconds, required,
      lesson."order", completion, release, quiz
    FROM lesson LEFT JOIN module ON module.id = module_id
      LEFT JOIN module AS copy ON copy.course_id = ${toId} AND copy."order" = module."order"
    WHERE lesson.course_id = ${fromId} AND deleted_at IS NULL`;
  // Lessons of the copy open after lessons of the copy.
  await tx.sql`
    UPDATE lesson SET release = jsonb_set(lesson.release, '{lessonId}', to_jsonb(copy.id::text))
    FROM lesson AS opener JOIN lesson AS copy ON copy.course_id = ${toId} AND copy."order" = opener."order"
    WHERE lesson.course_id = ${toId} AND lesson.release->>'type' = 'after_lesson'
      AND opener.id = (lesson.release->>'lessonId')::bigint AND opener.deleted_at IS NULL`;
  await tx.sql`
    INSERT INTO question (lesson_id, type, text, options, answers, points, explanation, "order")
    SELECT copy.id, question.type, text, options, answers, points, explanation, question."order"
    FROM lesson JOIN question ON question.lesson_id = lesson.id
      JOIN lesson AS copy ON copy.course_id = ${toId} AND copy."order" = lesson."order"
    WHERE lesson.course_id = ${fromId} AND lesson.deleted_at IS NULL`;
}
