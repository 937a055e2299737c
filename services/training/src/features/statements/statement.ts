import type { Environment } from '@tandem/caller';
import { LearnerType, type XapiStatement } from '@tandem/training-contract';
import { v5 as uuidV5 } from 'uuid';
import type { z } from 'zod';
import type { Course as CourseRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

export type StatementRecordOut = z.output<typeof XapiStatement>;
type Activity = StatementRecordOut['object'];
type Result = NonNullable<StatementRecordOut['result']>;

const verbs = ['initialized', 'progressed', 'answered', 'passed', 'failed', 'completed', 'attempted'] as const;
type Verb = (typeof verbs)[number];

/** The namespace of statement ids; it must not change, because ids are derived from it. */
const namespace = 'a1f9d4f6-52e8-4a53-9a0e-6f7a5f6a8c11';
const adl = 'http://adlnet.gov/expapi';

/** Writes the statements of an enrolment. */
export interface StatementWriter {
  course: Activity;
  lesson(lessonId: number, title: string): Activity;
  question(id: string, text: string): Activity;
  questionId(questionId: number): string;
  write(input: {
    verb: Verb;
    object: Activity;
    at: Date;
    /** Distinguishes statements with the same verb and object, such as attempts. */
    key?: string | number;
    result?: Result;
    parent?: Activity;
  }): StatementRecordOut;
}

export function statementWriter(
  { ids, publicUrl }: Pick<Tools, 'ids' | 'publicUrl'>,
  { tenantId, environment }: { tenantId: number; environment: Environment },
  enrollment: EnrollmentRow,
  course: Pick<CourseRow, 'id' | 'title'>,
): StatementWriter {
  const activity = (path: string, type: string, name: string): Activity => ({
    objectType: 'Activity',
    id: `${publicUrl}/xapi/${path}`,
    definition: { type: `${adl}/activities/${type}`, ...(name && { name: { und: name } }) },
  });
  const registration = uuidV5(`${environment}/${tenantId}/enrollment/${enrollment.id}`, namespace);
  const type = LearnerType.parse(enrollment.learnerType);
  const whole = activity(`courses/${ids.encode('course', tenantId, course.id)}`, 'course', course.title);
  return {
    course: whole,
    lesson: (lessonId, title) => activity(`lessons/${ids.encode('lesson', tenantId, lessonId)}`, 'lesson', title),
    question: (id, text) => activity(id, 'cmi.interaction', text),
    questionId: (questionId) => `questions/${ids.encode('question', tenantId, questionId)}`,
    write: ({ verb, object, at, key = '', result, parent }) => ({
      id: uuidV5(`${verb}/${object.id}/${key}`, registration),
      actor: {
        objectType: 'Agent',
        account: { homePage: publicUrl, name: ids.encode(type, tenantId, enrollment.learnerId) },
      },
      verb: { id: `${adl}/verbs/${verb}`, display: { 'en-US': verb } },
      object,
      ...(result && { result }),
      context: {
        registration,
        platform: 'Tandem',
        contextActivities: {
          ...(parent && { parent: [parent] }),
          ...(object.id !== whole.id && { grouping: [whole] }),
        },
      },
      timestamp: at.toISOString(),
      version: '1.0.3',
    }),
  };
}

/** A score from 0 to 100 as xAPI writes it. */
export function scoreOf(score: number): NonNullable<Result['score']> {
  return { scaled: Math.round(score * 100) / 10_000, raw: score, min: 0, max: 100 };
}

/** Seconds as ISO 8601 duration, such as PT1H2M3S. */
export function durationOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 3_600), 'H'],
    [Math.floor(whole / 60) % 60, 'M'],
    [whole % 60, 'S'],
  ] as const;
  const text = parts.flatMap(([value, unit]) => (value ? [`${value}${unit}`] : [])).join('');
  return `PT${text || '0S'}`;
}
