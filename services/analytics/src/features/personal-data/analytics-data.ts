import { EngagementEvent } from '@tandem/analytics-contract';
import type { IdCodec } from '@tandem/ids';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { cohortSweeps, eraseMembers } from '../cohort-definitions/erase-cohorts.ts';
import { addCounts, holdCounting } from '../counting/index.ts';
import { asEvent } from '../events/event.ts';
import { exportSweeps } from '../exports/erase-exports.ts';
import { leadFacts } from '../facts/lead-fact.ts';
import { removeFacts } from '../facts/write-facts.ts';
import { reportSweeps } from '../reports/erase-reports.ts';

const batchMax = 1_000;

/** The data of a person in analytics: engagement events, which stay as numbers without the person. */
export const analyticsData = (ids: IdCodec): PersonalData<Tx> => ({
  async erase({ tx, person: { leadIds } }) {
    const rows = await tx.sql<{
      id: number;
    }>`UPDATE engagement_event SET lead_id = NULL, merged_from_lead_id = NULL, message_id = NULL, workflow_execution_id = NULL,
        insert_id = NULL, properties = '{}'
      WHERE id IN (SELECT id FROM engagement_event WHERE lead_id = ANY(${leadIds}::bigint[]) LIMIT ${batchMax}::int)
      RETURNING id`;
    await tx.engagementKey.deleteMany({ where: { eventId: { in: rows.map(({ id }) => id) } } });
    await tx.firstTouch.deleteMany({ where: { leadId: { in: leadIds } } });
    await tx.step.deleteMany({ where: { type: leadFacts.type, recordId: { in: leadIds } } });
    await tx.leadVersion.deleteMany({ where: { leadId: { in: leadIds } } });
    const cohortMembers = await eraseMembers(tx, leadIds);
    const counting = await holdCounting(tx);
    await addCounts(tx, await removeFacts(tx, leadFacts, { ids: leadIds, counting }));
    return { engagementEvents: rows.length, cohortMembers };
  },
  sweeps: [...exportSweeps(ids), ...reportSweeps, ...cohortSweeps],
  async read({ tx, person: { leadIds } }) {
    const where = { leadId: { in: leadIds } };
    return [
      await exportSection('engagementEvents', EngagementEvent, {
        count: () => tx.engagementEvent.count({ where }),
        find: async (take) =>
          (await tx.engagementEvent.findMany({ where, orderBy: { id: 'desc' }, take })).map(asEvent),
      }),
    ];
  },
});
