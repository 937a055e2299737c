import { fail, type JsonObject } from '@tandem/service';
import { type ScormProgress, ScormRuntime, type scorm } from '@tandem/training-contract';
import { z } from 'zod';
import type { ScormState } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { applyGrade } from '../attempts/apply-grade.ts';
import type { Advancing } from '../progress/advance.ts';
import { findLearning, type Learning, rejectEnded } from '../progress/learning.ts';
import { reportProgress } from '../progress/report.ts';
import { readScormLink, type ScormLink, scopeOf } from './links.ts';
import { type Runtime, verdictOf } from './verdict.ts';

type Recorded = z.output<typeof ScormProgress>;
type Commit = Runtime & { sequence: number; finished: boolean; secondsSpent: number };

// A lesson that is not completed shows less than all of it as seen.
const openPercentMax = 99;

export const commitScormData =
  (tools: Tools): Handler<typeof scorm.commitScormData> =>
  ({ params, body, inTenant }) => {
    const link = readScormLink(tools, params.token);
    return inTenant(scopeOf(link), (inside) => commit(inside, link, body));
  };

async function commit(inside: Advancing, link: ScormLink, body: Commit): Promise<Recorded> {
  const { tx } = inside;
  const { enrollmentId, lessonId, session } = link;
  // Locks the enrolment, so that commits follow one another.
  const learning = await findLearning(tx, enrollmentId, lessonId);
  if (!learning) throw fail('not_found');
  rejectEnded(learning, { butCompleted: true });
  const state = await tx.scormState.findFirst({ where: { enrollmentId, lessonId } });
  // The lesson may have another type since the launch.
  if (session === undefined || !state || learning.lessonType !== 'scorm') return review(inside, learning, body);
  if (state.session !== session)
    throw fail('session_replaced', [{ field: 'token', message: 'Continue in the window that was opened last' }]);
  const attempt = await tx.attempt.lockFirst({ where: { id: state.attemptId } });
  if (!attempt) throw fail('not_found');
  if (attempt.status !== 'in_progress') return { ...(await review(inside, learning, body)), ...resultOf(attempt) };
  if (body.sequence <= state.sequence) return { ...standingOf(learning), ...resultOf(attempt), recorded: false };
  await report(inside, learning, body);
  await store(inside, state, body);
  const [known] = await tx.sql<{ masteryScore: number | null }>`
    SELECT mastery_score AS "masteryScore" FROM scorm_package WHERE id = ${link.packageId}`;
  const verdict = verdictOf(body, { ...learning, masteryScore: known?.masteryScore ?? null }, body);
  if (verdict.outcome === 'open')
    return { ...standingOf(learning), passed: null, attemptScore: verdict.score, recorded: true };
  const passed = verdict.outcome === 'passed';
  const graded = await applyGrade(inside, learning, attempt, {
    score: verdict.score,
    passScore: verdict.passScore,
    passed,
    submittedAt: new Date(),
  });
  return { status: passed ? 'completed' : standingOf(learning).status, ...resultOf(graded), recorded: true };
}

/** A lesson that has a result already: only the time counts. */
async function review(inside: Advancing, learning: Learning, { secondsSpent }: Commit): Promise<Recorded> {
  await reportProgress(inside, learning, { secondsSpent });
  return { ...standingOf(learning), passed: null, attemptScore: learning.progress?.score ?? null, recorded: false };
}

async function report(inside: Advancing, learning: Learning, { secondsSpent, progress }: Commit): Promise<void> {
  const percent = Math.min((progress ?? 0) * 100, openPercentMax);
  await reportProgress(inside, learning, { secondsSpent, percent });
}

async function store({ tx }: Advancing, { enrollmentId, lessonId }: ScormState, body: Commit): Promise<void> {
  const { sequence, finished: _finished, secondsSpent: _seconds, ...runtime } = body;
  await tx.scormState.updateMany({
    where: { enrollmentId, lessonId },
    data: { sequence, runtime: z.encode(ScormRuntime, runtime) as JsonObject },
  });
}

function standingOf({ progress }: Learning): Pick<Recorded, 'status'> {
  return { status: progress?.status === 'completed' ? 'completed' : 'in_progress' };
}

function resultOf({ passed, score }: { passed: boolean | null; score: number | null }) {
  return { passed, attemptScore: score };
}
