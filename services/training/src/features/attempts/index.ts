import type { Handlers } from '@tandem/service';
import type { attempts } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { getAttempt } from './get-attempt.ts';
import { gradeAttempt } from './grade-attempt.ts';
import { listAttempts } from './list-attempts.ts';
import { saveAttemptAnswers } from './save-attempt-answers.ts';
import { startAttempt } from './start-attempt.ts';
import { submitAttempt } from './submit-attempt.ts';

export const attemptHandlers = (tools: Pick<Tools, 'peers'>) =>
  ({
    startAttempt,
    listAttempts,
    getAttempt,
    saveAttemptAnswers,
    submitAttempt: submitAttempt(tools),
    gradeAttempt,
  }) satisfies Handlers<typeof attempts, Tx>;
