import { readLeadsMax } from '@tandem/crm-contract';
import type { Schedule } from '@tandem/jobs';
import { type JobContext, job } from '@tandem/jobs';
import { createLog } from '@tandem/process';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { startMatching } from '../triggers/start-matching.ts';

const log = createLog('campaign');

/** The job that starts workflows for leads that were added to a static segment. */
export const startBySegmentJob = {
  name: 'start-by-segment',
  payload: z.object({ segmentId: z.int(), leadIds: z.array(z.int()), addedAt: z.int() }),
};

/** Starts workflows for leads that were added to a static segment, after the transaction. */
export async function leadsAdded(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  segmentId: number,
  leadIds: readonly number[],
): Promise<void> {
  if (!leadIds.length) return;
  const starting = await tx.workflow.findFirst({
    where: { publishedTrigger: 'segment', status: 'published' },
    select: { id: true },
  });
  if (!starting) return;
  const payloads = [];
  for (let start = 0; start < leadIds.length; start += readLeadsMax)
    payloads.push({ segmentId, leadIds: leadIds.slice(start, start + readLeadsMax), addedAt: Date.now() });
  await schedule(startBySegmentJob, payloads);
}

export const startBySegment = ({ crm, ids }: Pick<Tools, 'crm' | 'ids'>) =>
  job({
    ...startBySegmentJob,
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof startBySegmentJob.payload>, Tx>) {
      const { segmentId, leadIds, addedAt } = payload;
      const row = await tx.segment.findFirst({ where: { id: segmentId } });
      if (!row) return;
      const as = {
        tenantId: row.tenantId,
        environment: row.environment as 'live' | 'sandbox',
        requestId: `segment_${segmentId}`,
      };
      const leads = await outside(() => crm.readLeads({ body: { ids: leadIds }, as }));
      const code = ids.encode('segment', row.tenantId, segmentId);
      const occurrences = leads.map((lead) => ({
        type: 'segment',
        leadId: lead.id,
        lead,
        eventId: `segment-${segmentId}-${addedAt}-${lead.id}`,
        suits: (trigger: { segmentId?: string | undefined }) => trigger.segmentId === code,
      }));
      await finish(async (inside) => {
        await startMatching(inside, occurrences, log);
      });
    },
  });
