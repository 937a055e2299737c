import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asAttempt } from '../attempts/attempt.ts';
import { handIn } from '../attempts/hand-in.ts';
import { lockAttempt } from '../attempts/lock-attempt.ts';
import { partnerOf } from '../progress/lock-learning.ts';

export const submitPortalAttempt: Handler<typeof portalTraining.submitPortalAttempt> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: partnerOf(caller) }, params.id);
  ifMatch(attempt);
  // Partners have no files: the portal has no uploads.
  const submitted = { ...body, fileIds: [], fileChecksums: [] };
  return asAttempt(await handIn({ tx, emit, schedule }, learning, attempt, submitted), false);
};
