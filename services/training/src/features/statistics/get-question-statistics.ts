import { QuestionType, type statisticsReports } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { isAuthor } from '../progress/teacher.ts';
import { readCourseStatistics } from './get-course-statistics.ts';

export const getQuestionStatistics: Handler<typeof statisticsReports.getQuestionStatistics> = async ({
  params,
  query,
  caller,
  tx,
}) => {
  const { lessons } = await readCourseStatistics({ tx, caller }, params.id, query);
  const found = lessons
    .filter(({ lessonId }) => query.lessonId === undefined || lessonId === query.lessonId)
    .flatMap(({ lessonId, title, questions }) =>
      questions.flatMap(({ questionId, answered, correctRate }) =>
        correctRate !== null && answered >= query.answeredMin
          ? [{ questionId, lessonId, lessonTitle: title, answered, correctRate }]
          : [],
      ),
    );
  const isDescending = query.sort.startsWith('-');
  const field = query.sort.endsWith('answered') ? 'answered' : 'correctRate';
  // Of questions that are alike, those with more answers first: their rate says more.
  found.sort(
    (one, other) =>
      (one[field] - other[field]) * (isDescending ? -1 : 1) ||
      other.answered - one.answered ||
      one.questionId - other.questionId,
  );
  const shown = found.slice(0, query.limit);
  const rows = await tx.question.findMany({
    where: { id: { in: shown.map(({ questionId }) => questionId) } },
    select: { id: true, type: true, text: true },
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    courseId: params.id,
    total: found.length,
    questions: shown.map((one) => {
      const question = byId.get(one.questionId);
      return {
        ...one,
        type: question ? QuestionType.parse(question.type) : null,
        text: question && isAuthor(caller) ? question.text : null,
      };
    }),
  };
};
