import type { Erasing } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';

// An enrolment can have many attempts, each with some hundred answers.
const batchMax = 20;

const hasContent = fragment`(answers IS NOT NULL OR text IS NOT NULL OR file_ids <> '{}' OR feedback IS NOT NULL
  OR status IN ('in_progress', 'submitted'))`;

/**
 * Removes what the person answered and handed in, the feedback on it, and the data of SCORM packages. Attempts stay with
 * their scores; open ones end. Questions go with their answers, because without these they would count as answered wrong.
 */
export async function eraseAnswers({
  tx,
  person: { leadIds },
}: Erasing<Tx>): Promise<{ attempts: number; packageData: number }> {
  // Locked, because answers are stored under this lock.
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM enrollment WHERE learner_type = 'lead' AND learner_id = ANY(${leadIds}::bigint[])
      AND (EXISTS (SELECT FROM attempt WHERE enrollment_id = enrollment.id AND ${hasContent})
        OR EXISTS (SELECT FROM scorm_state WHERE enrollment_id = enrollment.id))
    ORDER BY id LIMIT ${batchMax}::int FOR NO KEY UPDATE`;
  const ids = rows.map(({ id }) => id);
  const attempts = await tx.sql`
    UPDATE attempt SET answers = NULL, questions = '[]', text = NULL, file_ids = '{}',
      file_checksums = '{}', feedback = NULL,
      status = CASE WHEN status = 'graded' THEN status ELSE 'ended' END, version = version + 1, updated_at = now()
    WHERE enrollment_id = ANY(${ids}::bigint[]) AND ${hasContent} RETURNING id`;
  const packages = await tx.sql`
    DELETE FROM scorm_state WHERE enrollment_id = ANY(${ids}::bigint[]) RETURNING lesson_id`;
  return { attempts: attempts.length, packageData: packages.length };
}
