import { Lesson } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Lesson as LessonRow } from '../../generated/client.ts';

const columns = Lesson.pick({ type: true });

/** Converts a row to the contract's `Lesson`. */
export function asLesson(row: LessonRow): z.output<typeof Lesson> {
  return { ...row, ...columns.parse(row) };
}
