import type { triggers } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import type { Schedule } from '@tandem/jobs';
import { asService, failField, reachOf } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { enroll } from '../engine/enroll.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { unreachableLeads } from '../suppressions/unreachable-leads.ts';
import { requireEnterable } from '../workflows/enterable.ts';
import { checkWorkflow } from '../workflows/workflow.ts';

export const triggerWorkflow = (
  tools: Pick<Tools, 'crm' | 'seal'>,
): Handler<typeof triggers.triggerWorkflow, LeadRecord> => ({
  async check({ params, body: { leadId, email }, caller, tx }) {
    await checkWorkflow(tx, params.id);
    if ((leadId === undefined) === (email === undefined))
      throw failField('leadId', 'Give either leadId or email, so that the lead is clear');
    const as = asService(caller, reachOf(caller, 'leads:read'));
    const [lead] =
      leadId === undefined
        ? await tools.crm.findLeadsByEmail({ body: { email: email as string }, as })
        : await tools.crm.readLeads({ body: { ids: [leadId] }, as });
    if (!lead)
      throw leadId === undefined
        ? failField('email', 'No lead with this address')
        : failField('leadId', unknownId('lead'));
    return lead;
  },
  run({ params, body: { eventId = null, payload = {} }, found: lead, tx, schedule }) {
    return startForLead(tools, { tx, schedule }, { workflowId: params.id, lead, eventId, payload });
  },
});

interface Start {
  workflowId: number;
  lead: LeadRecord;
  eventId: string | null;
  payload: object;
}

/** Enrolls the lead of a webhook. The same event enrolls once. */
export async function startForLead(
  tools: Pick<Tools, 'seal'>,
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  { workflowId, lead, eventId, payload }: Start,
) {
  const earlier = eventId === null ? null : await tx.execution.findFirst({ where: { workflowId, eventId } });
  if (earlier) return { executionId: earlier.id, result: 'enrolled' as const };
  const workflow = await requireEnterable(tx, workflowId);
  const unreachable = await unreachableLeads(tools, tx, workflow.nodes, [lead]);
  if (unreachable.has(lead.id)) return { executionId: null, result: 'suppressed' as const };
  const entries = [{ leadId: lead.id, eventId, payload }];
  const [enrolled] = await enroll({ tx, schedule }, workflow, entries, { source: 'webhook' });
  return { executionId: enrolled?.executionId ?? null, result: enrolled?.result ?? ('reentry_blocked' as const) };
}
