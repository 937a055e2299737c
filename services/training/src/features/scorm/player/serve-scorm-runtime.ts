import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail } from '@tandem/service';
import { LearnerType, ScormRuntime, ScormVersion, type scorm } from '@tandem/training-contract';
import { z } from 'zod';
import type { Handler, Tools } from '../../../handler.ts';
import { rejectEnded } from '../../progress/learning.ts';
import { readScormLink, scopeOf } from '../links.ts';
import { cmiOf } from './runtime-data.ts';
import { runtimeScript } from './runtime-script.ts';

const libraries = { '1.2': library('scorm12'), '2004': library('scorm2004') };

export const serveScormRuntime =
  (tools: Tools): Handler<typeof scorm.serveScormRuntime> =>
  ({ params: { token }, inTenant }) => {
    const link = readScormLink(tools, token);
    return inTenant(scopeOf(link), async ({ tx }) => {
      const [found] = await tx.sql<Columns>`
        SELECT enrolled.status, learner_type AS "learnerType", learner_id AS "learnerId", package.version,
          mastery_score AS "masteryScore", launch_data AS "launchData",
          coalesce(progress.seconds_spent, 0) AS "secondsSpent", runtime
        FROM enrollment AS enrolled JOIN scorm_package AS package ON package.id = ${link.packageId}
        LEFT JOIN lesson_progress AS progress
          ON progress.enrollment_id = enrolled.id AND progress.lesson_id = ${link.lessonId}
        LEFT JOIN scorm_state AS state ON state.enrollment_id = enrolled.id AND state.lesson_id = ${link.lessonId}
          AND coalesce(state.package_id, ${link.packageId}) = ${link.packageId}
        WHERE enrolled.id = ${link.enrollmentId}`;
      if (!found) throw fail('not_found');
      rejectEnded(found, { butCompleted: true });
      const version = ScormVersion.parse(found.version);
      const runtime = found.runtime === null ? null : z.decode(ScormRuntime, found.runtime);
      const type = LearnerType.parse(found.learnerType);
      const data = {
        version,
        cmi: cmiOf({
          ...found,
          version,
          runtime,
          learnerId: tools.ids.encode(type, link.tenantId, found.learnerId),
          isReview: link.session === undefined,
        }),
        answeredAt: runtime?.interactions.map(({ at }) => at?.toISOString() ?? null) ?? [],
      };
      const body = `${libraries[version]}\nconst launchData = ${JSON.stringify(data)};${runtimeScript}`;
      return { body, type: 'text/javascript; charset=utf-8' };
    });
  };

interface Columns {
  status: string;
  learnerType: string;
  learnerId: number;
  version: string;
  masteryScore: number | null;
  launchData: string;
  secondsSpent: number;
  runtime: z.input<typeof ScormRuntime> | null;
}

/** The file of the library that browsers run, without the name of a source map that is not served. */
function library(name: 'scorm12' | 'scorm2004'): string {
  const file = new URL(`../${name}.min.js`, import.meta.resolve(`scorm-again/${name}/min`));
  return readFileSync(fileURLToPath(file), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
}
