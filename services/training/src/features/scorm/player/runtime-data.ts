import type { ScormVersion } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Runtime } from '../verdict.ts';

interface Launched {
  version: z.output<typeof ScormVersion>;
  masteryScore: number | null;
  launchData: string;
  /** The public id of the learner. */
  learnerId: string;
  secondsSpent: number;
  /** The stored data; null at the first launch. */
  runtime: Runtime | null;
  isReview: boolean;
}

// Names of learners are not given to content of others.
const learnerName = 'Learner';

/** The data with which the run-time API of a package begins, in the form of its version of SCORM. */
export function cmiOf(launched: Launched): object {
  return launched.version === '1.2' ? cmi12(launched) : cmi2004(launched);
}

function cmi12({ masteryScore, launchData, learnerId, secondsSpent, runtime, isReview }: Launched): object {
  return {
    core: {
      student_id: learnerId,
      student_name: learnerName,
      lesson_location: runtime?.location ?? '',
      credit: isReview ? 'no-credit' : 'credit',
      lesson_mode: isReview ? 'review' : 'normal',
      lesson_status: runtime ? statusOf12(runtime) : 'not attempted',
      entry: entryOf(runtime),
      score: texts(runtime?.score ?? {}, ['raw', 'min', 'max']),
      total_time: clockTime(secondsSpent),
    },
    suspend_data: runtime?.suspendData ?? '',
    launch_data: launchData,
    student_data: masteryScore === null ? {} : { mastery_score: String(masteryScore) },
    objectives:
      runtime?.objectives.map((one) => ({
        id: one.id,
        score: texts(one.score, ['raw', 'min', 'max']),
        status: statusOf12(one),
      })) ?? [],
  };
}

function cmi2004({ masteryScore, launchData, learnerId, secondsSpent, runtime, isReview }: Launched): object {
  return {
    learner_id: learnerId,
    learner_name: learnerName,
    location: runtime?.location ?? '',
    credit: isReview ? 'no-credit' : 'credit',
    mode: isReview ? 'review' : 'normal',
    entry: entryOf(runtime),
    completion_status: runtime?.completionStatus ?? 'unknown',
    success_status: runtime?.successStatus ?? 'unknown',
    ...(runtime?.progress != null && { progress_measure: String(runtime.progress) }),
    score: texts(runtime?.score ?? {}, ['scaled', 'raw', 'min', 'max']),
    total_time: `PT${secondsSpent}S`,
    suspend_data: runtime?.suspendData ?? '',
    launch_data: launchData,
    ...(masteryScore !== null && { scaled_passing_score: String(masteryScore / 100) }),
    objectives:
      runtime?.objectives.map((one) => ({
        id: one.id,
        score: texts(one.score, ['scaled', 'raw', 'min', 'max']),
        success_status: one.successStatus,
        completion_status: one.completionStatus,
      })) ?? [],
    interactions:
      runtime?.interactions.map(({ id, type, description, response, result, latency }) =>
        present({ id, type, description, learner_response: response, result, latency }),
      ) ?? [],
  };
}

/** `resume` after a suspended session, `ab-initio` at the first launch. */
function entryOf(runtime: Runtime | null): string {
  if (!runtime) return 'ab-initio';
  return runtime.exit === 'suspend' ? 'resume' : '';
}

function statusOf12({ completionStatus, successStatus }: Pick<Runtime, 'completionStatus' | 'successStatus'>): string {
  if (successStatus !== 'unknown') return successStatus;
  return completionStatus === 'unknown' ? 'incomplete' : completionStatus;
}

/** Numbers as texts, without those that are missing. */
function texts(score: Runtime['score'], fields: (keyof Runtime['score'])[]): Record<string, string> {
  return Object.fromEntries(fields.flatMap((field) => (score[field] == null ? [] : [[field, String(score[field])]])));
}

function present(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** `HHHH:MM:SS` of SCORM 1.2. */
function clockTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(Math.floor(seconds / 3_600)).padStart(4, '0')}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}
