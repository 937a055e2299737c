import { FormSubmission } from '@tandem/campaign-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asSubmission } from '../forms/form-submission.ts';

const batchMax = 1_000;

/** What a person submitted in forms, also before it became a lead, and the segments to which the lead was added. */
export const submissionData: PersonalData<Tx> = {
  async erase({ tx, person: { leadIds, emails } }) {
    const submissions = await tx.sql`
      DELETE FROM form_submission WHERE id IN (
        SELECT id FROM form_submission WHERE lead_id = ANY(${leadIds}::bigint[]) OR email = ANY(${emails}::text[])
        LIMIT ${batchMax}::int)
      RETURNING id`;
    const places = await tx.sql<{ segmentId: number }>`
      DELETE FROM segment_lead WHERE lead_id = ANY(${leadIds}::bigint[]) RETURNING segment_id AS "segmentId"`;
    await tx.sql`
      UPDATE segment SET lead_count = lead_count - gone.count
      FROM (SELECT id, count(*)::int AS count FROM unnest(${places.map(({ segmentId }) => segmentId)}::bigint[]) AS id
        GROUP BY id) AS gone
      WHERE segment.id = gone.id`;
    return { formSubmissions: submissions.length, segmentPlaces: places.length };
  },
  async read({ tx, person: { leadIds, emails } }) {
    const where = { OR: [{ leadId: { in: leadIds } }, { email: { in: emails } }] };
    return [
      await exportSection('formSubmissions', FormSubmission, {
        count: () => tx.formSubmission.count({ where }),
        find: async (take) =>
          (await tx.formSubmission.findMany({ where, orderBy: { id: 'desc' }, take })).map(asSubmission),
      }),
    ];
  },
};
