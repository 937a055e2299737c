import { unionNumber } from '@tandem/contract';
import { type ApiError, failField } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { enroll } from './enroll.ts';
import type { Inside } from './enrollment.ts';
import { findLearners, type Learner } from './learners.ts';

/** Learners of a request; those with a problem cannot be enrolled. */
export type Checked = { learner: Learner; problem?: ApiError }[];

/** Reads learners from the services that store them. */
export async function checkLearners(
  peers: Tools['peers'],
  caller: Parameters<typeof findLearners>[1],
  learners: Learner[],
): Promise<Checked> {
  const foundOf = await findLearners(peers, caller, learners);
  return learners.map((learner) => {
    const { problem } = foundOf(learner);
    return problem ? { learner, problem: failField('learnerId', problem) } : { learner };
  });
}

/** Enrols the learners without a problem; one result each, in their order. */
export async function enrollChecked(
  inside: Inside,
  course: Parameters<typeof enroll>[1],
  checked: Checked,
  terms: Parameters<typeof enroll>[3],
) {
  const fit = checked.flatMap(({ learner, problem }) => (problem ? [] : [learner]));
  const enrolled = await enroll(inside, course, fit, terms);
  let next = 0;
  return checked.map(({ learner, problem }) => {
    const learnerId = unionNumber('learner', learner.type, learner.id);
    const one = problem ? { error: problem } : enrolled[next++];
    if (one && 'enrollment' in one) return { learnerId, id: one.enrollment.id, success: true, error: null };
    const error = { code: one?.error.code ?? 'conflict', message: messageOf(one?.error) };
    return { learnerId, id: null, success: false, error };
  });
}

function messageOf(error: ApiError | undefined): string {
  return error?.errors.map(({ message }) => message).join('; ') ?? '';
}
