import { readLeadsMax } from '@tandem/crm-contract';
import { type JobContext, job, type Schedule } from '@tandem/jobs';
import { createLog } from '@tandem/process';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { dataOf } from '../engine/graph.ts';
import { entrancesOf } from '../workflows/enterable.ts';
import { startMatching } from './start-matching.ts';

const log = createLog('campaign');

const Engaged = z.object({ type: z.string(), leadId: z.int(), eventId: z.string() });
type Engaged = z.output<typeof Engaged>;

/** The job that starts workflows by what leads did, if the triggers have conditions, for which the leads are read from crm. */
export const startByEngagementJob = {
  name: 'start-by-engagement',
  payload: z.object({ tenantId: z.int(), environment: z.enum(['live', 'sandbox']), engaged: z.array(Engaged) }),
};

type Payload = z.output<typeof startByEngagementJob.payload>;

/** Starts the workflows of what leads did: at once, or by a job where a trigger has conditions. */
export async function startEngaged(
  inside: { tx: Tx; schedule: Schedule },
  engaged: readonly Engaged[],
  { tenantId, environment }: Pick<Payload, 'tenantId' | 'environment'>,
): Promise<void> {
  const types = [...new Set(engaged.map(({ type }) => type))];
  if (!types.length) return;
  const asking = new Set<string | undefined>();
  for await (const { trigger } of entrancesOf(inside.tx, types)) {
    const { triggerType, conditions = [] } = dataOf(trigger, 'trigger');
    if (conditions.length) asking.add(triggerType);
  }
  await startMatching(inside, engaged.filter(({ type }) => !asking.has(type)).map(asOccurrence), log);
  const later = engaged.filter(({ type }) => asking.has(type));
  const payloads = [];
  for (let start = 0; start < later.length; start += readLeadsMax)
    payloads.push({ tenantId, environment, engaged: later.slice(start, start + readLeadsMax) });
  await inside.schedule(startByEngagementJob, payloads);
}

// Own forms have started their workflows when they were processed; of others nobody knows which form it was.
const asOccurrence = (one: Engaged) => ({ ...one, suits: ({ formId }: { formId?: string | undefined }) => !formId });

export const startByEngagement = ({ crm }: Pick<Tools, 'crm'>) =>
  job({
    ...startByEngagementJob,
    async run({ payload, outside, finish }: JobContext<Payload, Tx>) {
      const { engaged, ...tenant } = payload;
      const as = { ...tenant, requestId: 'start-by-engagement' };
      const ids = [...new Set(engaged.map(({ leadId }) => leadId))];
      const leads = await outside(() => crm.readLeads({ body: { ids }, as }));
      const leadOf = new Map(leads.map((lead) => [lead.id, lead]));
      const occurrences = engaged.map((one) => ({ ...asOccurrence(one), lead: leadOf.get(one.leadId) }));
      await finish(async (inside) => {
        await startMatching(inside, occurrences, log);
      });
    },
  });
