import type { attempts } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { learnerOf } from '../enrollments/enrollment.ts';
import { asAttempt } from './attempt.ts';

// Questions and answers, up to some megabytes for each attempt, stay in the database.
const columns = {
  id: true,
  enrollmentId: true,
  courseId: true,
  lessonId: true,
  number: true,
  status: true,
  text: true,
  fileIds: true,
  fileChecksums: true,
  score: true,
  passScore: true,
  passed: true,
  feedback: true,
  startedAt: true,
  endsAt: true,
  submittedAt: true,
  gradedAt: true,
  gradedBy: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

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
    select: columns,
  });
  const items = page.items as AttemptRow[];
  const enrollments = await tx.enrollment.findMany({
    where: { id: { in: [...new Set(items.map((row) => row.enrollmentId))] } },
    select: { id: true, learnerType: true, learnerId: true },
  });
  const learners = new Map(enrollments.map((one) => [one.id, learnerOf(one)]));
  return {
    ...page,
    items: items.map((row) => ({
      ...asAttempt({ ...row, questions: [], answers: [] }, false),
      ...(learners.get(row.enrollmentId) as ReturnType<typeof learnerOf>),
    })),
  };
};
