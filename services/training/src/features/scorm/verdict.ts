import { passScoreOf, type ScormRuntime } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Learning } from '../progress/learning.ts';
import { round } from '../progress/standing.ts';

export type Runtime = z.output<typeof ScormRuntime>;

/** The outcome of an attempt, from the data of its package. */
export interface Verdict {
  outcome: 'open' | 'passed' | 'failed';
  /** From 0 to 100; null if the package reports none. */
  score: number | null;
  /** The score that passes; null if the report of the package decides. */
  passScore: number | null;
}

interface Rules {
  /** `quiz` or `package`. */
  completion: Learning['completion'];
  coursePassScore: number | null;
  masteryScore: number | null;
}

/**
 * Decides an attempt by the completion rule of its lesson. A package may report `failed`, let the learner try again and
 * report `passed`, so an attempt fails only when the package has ended.
 */
export function verdictOf(runtime: Runtime, rules: Rules, { finished }: { finished: boolean }): Verdict {
  const score = scoreOf(runtime.score);
  const passScore = passScoreFor(rules);
  const { completionStatus, successStatus } = runtime;
  const success =
    passScore !== null && score !== null ? (score >= passScore ? 'passed' : 'failed') : reported(rules, successStatus);
  // Packages that report success need not report completion.
  const isDone =
    completionStatus === 'completed' || (finished && completionStatus === 'unknown' && successStatus !== 'unknown');
  if (!isDone || success === 'open') return { outcome: 'open', score, passScore };
  if (success === 'failed') return { outcome: finished ? 'failed' : 'open', score, passScore };
  return { outcome: 'passed', score, passScore };
}

function passScoreFor({ completion, coursePassScore, masteryScore }: Rules): number | null {
  if (completion.rule !== 'quiz') return masteryScore;
  return completion.passScore ?? masteryScore ?? passScoreOf({ completion }, { passScore: coursePassScore });
}

/** The success of a package without a score: the rule `quiz` needs one, so only its failure counts there. */
function reported({ completion }: Rules, successStatus: Runtime['successStatus']): 'passed' | 'failed' | 'open' {
  if (successStatus === 'failed') return 'failed';
  return completion.rule === 'quiz' ? 'open' : 'passed';
}

/**
 * The score from 0 to 100: `scaled` of SCORM 2004, else `raw` between `min` and `max`. A package may set these one after the
 * other, so both versions of SCORM accept any range; without a usable one `raw` counts from 0 to 100, as SCORM 1.2 defines it.
 */
export function scoreOf({ raw, min, max, scaled }: Runtime['score']): number | null {
  if (scaled !== null && scaled !== undefined) return clamp(scaled * 100);
  if (raw === null || raw === undefined) return null;
  const [low, high] = [min ?? 0, max ?? 100];
  return clamp(high > low ? ((raw - low) / (high - low)) * 100 : raw);
}

function clamp(score: number): number {
  return round(Math.min(100, Math.max(0, score)));
}
