import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asAttempt, lockAttempt } from '../attempts/attempt.ts';
import { checkFiles } from '../attempts/check-files.ts';
import { handIn } from '../attempts/hand-in.ts';
import { partnerOf } from '../progress/learning.ts';

export const submitPortalAttempt = (
  tools: Pick<Tools, 'peers'>,
): Handler<typeof portalTraining.submitPortalAttempt> => ({
  async check({ body, caller }) {
    await checkFiles(tools, caller, body.fileIds);
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch }) {
    const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: partnerOf(caller) }, params.id);
    ifMatch(attempt);
    return asAttempt(await handIn({ tx, emit, schedule }, learning, attempt, body), false);
  },
});
