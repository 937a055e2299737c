import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import {
  defaultCompletion,
  isScored,
  questionLimits,
  type writableCompletion,
  type writableQuiz,
} from '@tandem/training-contract';
import type { z } from 'zod';
import type { LessonRecord } from './lesson.ts';

/** The fields of a lesson whose rules depend on each other. */
type Settings = Pick<LessonRecord, 'type' | 'content' | 'fileId' | 'completion' | 'quiz'>;

/** The same fields as a request sends them. */
export interface SettingsInput {
  type?: Settings['type'] | undefined;
  content?: string | null | undefined;
  fileId?: number | null | undefined;
  completion?: z.output<typeof writableCompletion> | null | undefined;
  quiz?: z.output<typeof writableQuiz> | null | undefined;
}

const urlMax = 2_000;
const noQuiz = {
  timeLimitSeconds: null,
  randomOrder: false,
  shuffleOptions: false,
  draw: [],
  showAnswers: 'after_submit',
} as const;

/** Whether the content of lessons of a type is a URL; else it is HTML. */
export function isUrlType(type: Settings['type']): boolean {
  return type === 'link' || type === 'video';
}

/**
 * Combines the settings of a request with those of a lesson; what does not fit a new type gets the default of that type,
 * and content of the other kind is removed.
 * @param before undefined for a new lesson
 * @throws 422 for settings that do not fit each other
 */
export function settleLesson(before: Settings | undefined, input: SettingsInput): Settings {
  const type = input.type ?? before?.type ?? 'text';
  // HTML is no URL, and a URL no text to read.
  const isKept = before !== undefined && isUrlType(before.type) === isUrlType(type);
  const { content = isKept ? before.content : null, fileId = before?.fileId ?? null } = input;
  const settings: Settings = {
    type,
    content: content === '' ? null : content,
    fileId,
    completion: completionOf(before, type, input.completion),
    quiz: type === 'quiz' ? quizOf(before, input.quiz) : null,
  };
  const errors = [
    ...materialErrors(settings, { isNamed: isMaterialNamed(before, input) }),
    ...completionErrors(settings),
    ...quizErrors(settings),
    ...(type !== 'quiz' && input.quiz ? [{ field: 'quiz', message: 'Is only for lessons of the type quiz' }] : []),
  ];
  if (errors.length) throw fail('validation_failed', errors);
  return settings;
}

function completionOf(
  before: Settings | undefined,
  type: Settings['type'],
  input: SettingsInput['completion'],
): Settings['completion'] {
  if (input) {
    const { rule, minSeconds = null, passScore = null, maxAttempts = null } = input;
    return { rule, minSeconds, passScore, maxAttempts };
  }
  const isKept = input === undefined && before?.type === type;
  return isKept ? before.completion : defaultCompletion(type);
}

function quizOf(before: Settings | undefined, input: SettingsInput['quiz']): Settings['quiz'] {
  if (input) return { ...input, timeLimitSeconds: input.timeLimitSeconds ?? null };
  return (input === undefined && before?.quiz) || { ...noQuiz, draw: [] };
}

/**
 * Whether the request decides about the URL of a lesson. One that loses its content with its type, and later changes of its
 * other fields, need none until the course is published (`publishable.ts`).
 */
function isMaterialNamed(before: Settings | undefined, { content, fileId }: SettingsInput): boolean {
  return before === undefined || content !== undefined || fileId !== undefined;
}

function materialErrors({ type, content, fileId }: Settings, { isNamed }: { isNamed: boolean }): FieldError[] {
  if ((type === 'file' || type === 'scorm') && fileId === null)
    return [{ field: 'fileId', message: `Is required for a lesson of the type ${type}` }];
  if (!isUrlType(type)) return [];
  if (content !== null && !isHttpsUrl(content))
    return [{ field: 'content', message: `Must be an https URL for a lesson of the type ${type}` }];
  if (!isNamed || content !== null || (type === 'video' && fileId !== null)) return [];
  const message = type === 'video' ? 'Is required for a video, unless fileId is sent' : 'Is required for a link';
  return [{ field: 'content', message }];
}

/** Characters that end an attribute or a text are refused too, because the URL is put into pages. */
export function isHttpsUrl(value: string): boolean {
  if (value.length > urlMax || !/^https:\/\/[^\s<>"'`\\{}]+$/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return !username && !password;
}

function completionErrors({ type, completion }: Settings): FieldError[] {
  const { rule, minSeconds, passScore, maxAttempts } = completion;
  const error = (field: string, message: string) => ({ field: `completion.${field}`, message });
  const hasScore = isScored({ type });
  const isOfPackage = rule === 'package' || rule === 'quiz';
  return [
    ...(rule === 'quiz' && !hasScore ? [error('rule', `Must be view, min_time or manual for the type ${type}`)] : []),
    ...(type === 'scorm' && !isOfPackage ? [error('rule', 'Must be package or quiz for the type scorm')] : []),
    ...(type !== 'scorm' && rule === 'package' ? [error('rule', 'Is only for lessons of the type scorm')] : []),
    ...(rule === 'min_time' && minSeconds === null ? [error('minSeconds', 'Is required for the rule min_time')] : []),
    ...(rule !== 'min_time' && minSeconds !== null ? [error('minSeconds', 'Is only for the rule min_time')] : []),
    ...(rule !== 'quiz' && passScore !== null ? [error('passScore', 'Is only for the rule quiz')] : []),
    ...(!hasScore && maxAttempts !== null ? [error('maxAttempts', 'Is only for quizzes, assignments and SCORM')] : []),
  ];
}

function quizErrors({ quiz }: Settings): FieldError[] {
  const banks = quiz?.draw.map(({ bankId }) => bankId) ?? [];
  const drawn = quiz?.draw.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return [
    ...banks.flatMap((bankId, index) =>
      banks.indexOf(bankId) < index ? [{ field: `quiz.draw.${index}.bankId`, message: 'Must be unique in draw' }] : [],
    ),
    ...(drawn > questionLimits.perLesson
      ? [{ field: 'quiz.draw', message: `Must draw at most ${questionLimits.perLesson} questions` }]
      : []),
  ];
}
