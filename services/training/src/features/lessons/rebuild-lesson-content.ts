import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import { type internalRebuilds, lessonLimits, lessonUpdated } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asLesson } from './lesson.ts';
import { isHttpsUrl, isUrlType } from './settle-lesson.ts';

// Each text may take the cleaner two seconds, and the courses of all of them are locked until the commit.
const lessonsMax = 10;

interface Found {
  read: number;
  next: number | null;
  /** Lessons whose content differs from what would be stored now. */
  changed: { id: number; courseId: number; version: number; content: string | null }[];
}

type Row = typeof internalRebuilds.rebuildLessonContent;

/**
 * Cleans one page of lessons: releases before the cleaning of content stored it as it was sent. A lesson that is saved
 * meanwhile is left out, because saving cleans it.
 */
export const rebuildLessonContent = ({ cleaner }: Pick<Tools, 'cleaner'>): Handler<Row, Found> => ({
  async check({ body, caller, tx }) {
    if (caller.tenantId === undefined) throw fail('not_found');
    const rows = await tx.lesson.findMany({
      where: { id: { gt: body.after ?? 0 } },
      orderBy: { id: 'asc' },
      take: lessonsMax,
    });
    const changed: Found['changed'] = [];
    for (const { id, courseId, version, content, ...row } of rows) {
      if (content === null) continue;
      const { type } = asLesson({ id, courseId, version, content, ...row });
      const next = isUrlType(type) ? safeUrl(content) : await safeHtml(cleaner, content, caller);
      if (next !== content) changed.push({ id, courseId, version, content: next });
    }
    return { read: rows.length, next: rows.at(-1)?.id ?? null, changed };
  },
  async run({ found: { read, next, changed }, tx, emit }) {
    const courseIds = [...new Set(changed.map(({ courseId }) => courseId))];
    // Courses before lessons, in the order of their ids, as everywhere.
    if (courseIds.length)
      await tx.sql`SELECT FROM course WHERE id = ANY(${courseIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
    const counts = { written: 0, removed: 0 };
    for (const { id, version, content } of changed) {
      const [row] = await tx.lesson.updateManyAndReturn({
        where: { id, version },
        data: { content, version: { increment: 1 } },
      });
      if (!row) continue;
      counts[content === null ? 'removed' : 'written'] += 1;
      const lesson = asLesson(row);
      emit(lessonUpdated, { data: { lessonId: id, courseId: lesson.courseId }, record: lesson, changes: {} });
    }
    return { read, ...counts, next };
  },
});

function safeUrl(content: string): string | null {
  return isHttpsUrl(content) ? content : null;
}

/** Text that is too complex to clean, or too long afterwards, is kept without its tags. */
async function safeHtml(cleaner: Tools['cleaner'], content: string, { tenantId }: Caller): Promise<string | null> {
  const cleaned = await cleaner.clean(content, tenantId);
  if ('html' in cleaned && cleaned.html.length <= lessonLimits.contentChars) return cleaned.html;
  const plain = await cleaner.clean(content.replaceAll('<', '‹'), tenantId);
  return 'html' in plain ? plain.html.slice(0, lessonLimits.contentChars) : null;
}
