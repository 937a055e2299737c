import { idInText } from '@tandem/contract';
import { type ApiError, fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { validUntil } from '../completions/valid-until.ts';
import type { Learner } from './learners.ts';

/**
 * For each learner, the error that names the required courses without a valid completion. A completion is valid as long as
 * its certificate; without one, for the days that the required course names, counted from the completion.
 */
export async function openPrerequisites(
  tx: Tx,
  courseId: number,
  learners: readonly Learner[],
): Promise<(ApiError | undefined)[]> {
  const open = await tx.sql<{
    type: string;
    learnerId: number;
    id: number;
    title: string;
    wasCompleted: boolean;
    wasRevoked: boolean;
  }>`
    SELECT given.type, given.id AS "learnerId", required.id, required.title, found.completed AS "wasCompleted",
      found.revoked AS "wasRevoked"
    FROM course_prerequisite AS needed
    JOIN course AS required ON required.id = needed.required_course_id AND required.deleted_at IS NULL
    CROSS JOIN jsonb_to_recordset(${JSON.stringify(learners)}::jsonb) AS given (type text, id bigint)
    CROSS JOIN LATERAL (
      SELECT count(*) > 0 AS completed, coalesce(bool_or(certificate.status = 'revoked'), false) AS revoked, coalesce(bool_or(${validUntil} > now()), false) AS valid
      FROM enrollment AS completion LEFT JOIN certificate ON certificate.id = completion.certificate_id
      WHERE completion.course_id = required.id AND completion.learner_type = given.type
        AND completion.learner_id = given.id AND completion.status = 'completed') AS found
    WHERE needed.course_id = ${courseId} AND NOT found.valid
    ORDER BY required.id`;
  return learners.map((learner) => {
    const needed = open.filter(({ type, learnerId }) => type === learner.type && learnerId === learner.id);
    if (!needed.length) return undefined;
    return fail(
      'prerequisites_open',
      needed.map(({ id, title, ...completion }) => ({
        field: 'courseId',
        message: `Requires the course “${title}” (${idInText('course', id)}), ${problemOf(completion)}`,
      })),
    );
  });
}

function problemOf({ wasCompleted, wasRevoked }: { wasCompleted: boolean; wasRevoked: boolean }): string {
  if (!wasCompleted) return 'which the learner has not completed';
  const problem = wasRevoked ? 'whose certificate was revoked' : 'of which the completion is no longer valid';
  return `${problem}; the learner must take it again`;
}
