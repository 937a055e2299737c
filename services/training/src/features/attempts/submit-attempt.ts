import type { attempts } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { learnerOrTeacher } from '../progress/lock-learning.ts';
import { isTeacher } from '../progress/teacher.ts';
import { asAttempt } from './attempt.ts';
import { checkFiles } from './check-files.ts';
import { handIn } from './hand-in.ts';
import { lockAttempt } from './lock-attempt.ts';

export const submitAttempt = ({ peers }: Pick<Tools, 'peers'>): Handler<typeof attempts.submitAttempt, string[]> => ({
  check: ({ body, caller }) => checkFiles({ peers }, caller, body.fileIds),
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found: fileChecksums }) {
    const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params.id);
    ifMatch(attempt);
    return asAttempt(
      await handIn({ tx, emit, schedule }, learning, attempt, { ...body, fileChecksums }),
      isTeacher(caller),
    );
  },
});
