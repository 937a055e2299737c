import type { internalCompletions } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { validUntil } from './valid-until.ts';

type Row = typeof internalCompletions.findPartnerCompletions;
type Completion = z.output<Row['reply']>[number];

export const findPartnerCompletions: Handler<Row> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return [];
  return tx.sql<Completion>`
    SELECT DISTINCT ON ("partnerId", "courseId") "partnerId", "courseId", "completedAt",
      nullif("validUntil", 'infinity') AS "validUntil"
    FROM (
      SELECT completion.learner_id AS "partnerId", completion.course_id AS "courseId",
        completion.completed_at AS "completedAt", ${validUntil} AS "validUntil"
      FROM enrollment AS completion
      JOIN course AS required ON required.id = completion.course_id
      LEFT JOIN certificate ON certificate.id = completion.certificate_id
      WHERE completion.learner_type = 'partner' AND completion.learner_id = ANY(${body.partnerIds})
        AND completion.course_id = ANY(${body.courseIds}) AND completion.status = 'completed') AS completed
    WHERE "validUntil" > now()
    ORDER BY "partnerId", "courseId", completed."validUntil" DESC, "completedAt" DESC`;
};
