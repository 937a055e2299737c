import type { attempts } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asAttempt } from './attempt.ts';

export const listAttempts: Handler<typeof attempts.listAttempts> = async ({ query, tx, list }) => {
  const { enrollmentId, lessonId, courseId, status } = query;
  const page = await list({
    model: tx.attempt,
    where: {
      ...(enrollmentId !== undefined && { enrollmentId }),
      ...(lessonId !== undefined && { lessonId }),
      ...(courseId !== undefined && { courseId }),
      ...(status && { status }),
    },
  });
  return { ...page, items: page.items.map((row) => asAttempt({ ...row, questions: [], answers: [] }, false)) };
};
