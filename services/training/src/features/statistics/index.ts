import type { Handlers } from '@tandem/service';
import type { statistics, statisticsReports } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { exportCourseStatistics } from './export-course-statistics.ts';
import { getCourseStatistics } from './get-course-statistics.ts';
import { getLearnerTranscript } from './get-learner-transcript.ts';
import { getQuestionStatistics } from './get-question-statistics.ts';

export const statisticsHandlers = (tools: Pick<Tools, 'publicUrl' | 'ids'>) =>
  ({
    getCourseStatistics,
    getLearnerTranscript: getLearnerTranscript(tools),
    getQuestionStatistics,
    exportCourseStatistics: exportCourseStatistics(tools),
  }) satisfies Handlers<typeof statistics & typeof statisticsReports, Tx>;
