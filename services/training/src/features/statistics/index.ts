import type { Handlers } from '@tandem/service';
import type { statistics } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { getCourseStatistics } from './get-course-statistics.ts';
import { getLearnerTranscript } from './get-learner-transcript.ts';

export const statisticsHandlers = (tools: Pick<Tools, 'publicUrl'>) =>
  ({ getCourseStatistics, getLearnerTranscript: getLearnerTranscript(tools) }) satisfies Handlers<
    typeof statistics,
    Tx
  >;
