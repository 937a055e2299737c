import { fail } from '@tandem/service';
import type { scorm } from '@tandem/training-contract';
import type { Handler, Tools } from '../../../handler.ts';
import { readScormLink, scopeOf } from '../links.ts';
import { playerPage } from './player-page.ts';

export const showScormPlayer =
  (tools: Tools): Handler<typeof scorm.showScormPlayer> =>
  ({ params: { token }, inTenant }) => {
    const link = readScormLink(tools, token);
    return inTenant(scopeOf(link), async ({ tx }) => {
      const [found] = await tx.sql<{ title: string; launch: string; sequence: number }>`
        SELECT lesson.title, launch, coalesce(sequence, 0) AS sequence
        FROM scorm_package AS package, lesson LEFT JOIN scorm_state AS state
          ON state.enrollment_id = ${link.enrollmentId} AND state.lesson_id = lesson.id
        WHERE lesson.id = ${link.lessonId} AND lesson.deleted_at IS NULL AND package.id = ${link.packageId}`;
      if (!found) throw fail('not_found');
      return playerPage({
        ...found,
        token,
        isReview: link.session === undefined,
        sandbox: tools.player.sandbox,
      });
    });
  };
