import type { Release } from '@tandem/training-contract';
import type { z } from 'zod';

const dayMs = 86_400_000;

/** Why a lesson is locked, and when it opens, if that is known. */
export interface LessonLock {
  reason: string;
  opensAt: Date | null;
}

/** The reason that a lesson is locked for a learner; undefined if it is open. */
export function lockOf(lesson: {
  enrolledAt: Date;
  release: z.output<typeof Release>;
  earlierLesson: string | null;
  openingLesson: string | null;
}): LessonLock | undefined {
  const { release, earlierLesson, openingLesson } = lesson;
  const opensAt = opensAtOf(release, lesson.enrolledAt);
  if (opensAt && opensAt.getTime() > Date.now())
    return { reason: `The lesson opens at ${opensAt.toISOString()}`, opensAt };
  if (openingLesson !== null) return { reason: `Complete the lesson “${openingLesson}” first`, opensAt: null };
  if (earlierLesson !== null) return { reason: `Complete the lesson “${earlierLesson}” first`, opensAt: null };
  return undefined;
}

function opensAtOf(release: z.output<typeof Release>, enrolledAt: Date): Date | null {
  if (release.type === 'on_date') return release.date;
  if (release.type === 'after_days') return new Date(enrolledAt.getTime() + release.days * dayMs);
  return null;
}
