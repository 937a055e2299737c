import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { AttemptRecord } from '../attempts/attempt.ts';
import type { Runtime } from '../scorm/verdict.ts';
import { durationOf, type StatementRecordOut, type StatementWriter, scoreOf } from './statement.ts';

type Statements = StatementRecordOut[];

/** The place of a record: the lesson, and 0 or the number of the attempt. */
export interface Position {
  lessonId: number;
  number: number;
}

/** The progress of a lesson, with the number 0, or one of the attempts at it. */
export interface StatementRecord extends Position {
  attemptId: number | null;
  title: string;
  status: string;
  percent: number;
  secondsSpent: number;
  startedAt: Date;
  reportedAt: Date;
  completedAt: Date | null;
}

const progressExtension = 'https://w3id.org/xapi/cmi5/result/extensions/progress';

/** The start, progress and completion of the course. */
export function courseStatements(writer: StatementWriter, enrollment: EnrollmentRow): Statements {
  const { course: object, write } = writer;
  const { startedAt, lastActivityAt, completedAt, percent, score, secondsSpent } = enrollment;
  return [
    ...(startedAt ? [write({ verb: 'initialized', object, at: startedAt })] : []),
    ...(!completedAt && percent > 0
      ? [progressed(writer, object, percent, lastActivityAt ?? enrollment.updatedAt)]
      : []),
    ...(completedAt
      ? [
          write({
            verb: 'completed',
            object,
            at: completedAt,
            result: {
              completion: true,
              duration: durationOf(secondsSpent),
              ...(score !== null && { score: scoreOf(score) }),
            },
          }),
        ]
      : []),
  ];
}

/** The start, progress and completion of a lesson. */
export function lessonStatements(writer: StatementWriter, record: StatementRecord): Statements {
  const { course: parent, write } = writer;
  const { lessonId, title, startedAt, reportedAt, completedAt, percent, secondsSpent } = record;
  const object = writer.lesson(lessonId, title);
  return [
    write({ verb: 'initialized', object, at: startedAt, parent }),
    ...(!completedAt && percent > 0 ? [progressed(writer, object, percent, reportedAt, parent)] : []),
    ...(completedAt
      ? [
          write({
            verb: 'completed',
            object,
            at: completedAt,
            parent,
            result: { completion: true, duration: durationOf(secondsSpent) },
          }),
        ]
      : []),
  ];
}

/** An attempt with its answers and its result. */
export function attemptStatements(
  writer: StatementWriter,
  { lessonId, title }: StatementRecord,
  { attempt, runtime }: { attempt: AttemptRecord; runtime: Runtime | undefined },
): Statements {
  const { course: parent, write } = writer;
  const object = writer.lesson(lessonId, title);
  const { number: key, startedAt, submittedAt, gradedAt, passed, score } = attempt;
  const ended = gradedAt ?? submittedAt;
  return [
    write({ verb: 'attempted', object, at: startedAt, key, parent }),
    ...(ended ? quizAnswers(writer, attempt, { at: submittedAt ?? ended, lesson: object }) : []),
    ...packageAnswers(writer, attempt, { runtime, lesson: object }),
    ...(gradedAt && passed !== null
      ? [
          write({
            verb: passed ? 'passed' : 'failed',
            object,
            at: gradedAt,
            key,
            parent,
            result: {
              success: passed,
              duration: durationOf((gradedAt.getTime() - startedAt.getTime()) / 1_000),
              ...(score !== null && { score: scoreOf(score) }),
            },
          }),
        ]
      : []),
  ];
}

/** The answers of a quiz. Whether they are right is stated to callers who may see it. */
function quizAnswers(
  writer: StatementWriter,
  { number, questions, answers, results }: AttemptRecord,
  { at, lesson: parent }: { at: Date; lesson: StatementRecordOut['object'] },
): Statements {
  const texts = new Map(questions.map(({ id, text }) => [id, text]));
  const correct = new Map(results?.map((one) => [one.questionId, one.correct]));
  return answers.map(({ questionId, keys, text, number: value }) => {
    const success = correct.get(questionId);
    return writer.write({
      verb: 'answered',
      object: writer.question(writer.questionId(questionId), texts.get(questionId) ?? ''),
      at,
      key: number,
      parent,
      result: {
        response: keys?.join('[,]') ?? text ?? String(value ?? ''),
        ...(success !== undefined && { success }),
      },
    });
  });
}

/** The answers that a SCORM package reports; those without a time are as old as the attempt. */
function packageAnswers(
  writer: StatementWriter,
  { number, startedAt }: AttemptRecord,
  { runtime, lesson: parent }: { runtime: Runtime | undefined; lesson: StatementRecordOut['object'] },
): Statements {
  const path = parent.id.slice(parent.id.indexOf('/xapi/') + '/xapi/'.length);
  return (runtime?.interactions ?? []).map(({ id, description, response, result, latency, at }, index) =>
    writer.write({
      verb: 'answered',
      object: writer.question(`${path}/interactions/${encodeURIComponent(id)}`, description),
      at: at ?? startedAt,
      key: `${number}/${index}`,
      parent,
      result: {
        response,
        ...((result === 'correct' || result === 'incorrect' || result === 'wrong') && {
          success: result === 'correct',
        }),
        ...(isDuration(latency) && { duration: latency }),
      },
    }),
  );
}

function progressed(
  { write }: StatementWriter,
  object: StatementRecordOut['object'],
  percent: number,
  at: Date,
  parent?: StatementRecordOut['object'],
): StatementRecordOut {
  const progress = Math.round(percent);
  // Each value is a statement of its own, because statements do not change.
  return write({
    verb: 'progressed',
    object,
    at,
    key: progress,
    ...(parent && { parent }),
    result: { completion: false, extensions: { [progressExtension]: progress } },
  });
}

function isDuration(text: string): boolean {
  return /^P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,2})?S)?)?$/.test(text);
}
