import type { triggers } from '@tandem/campaign-contract';
import { createLog } from '@tandem/process';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { startMatching } from './start-matching.ts';

const log = createLog('campaign');

export const ingestWorkflowEvent = (
  tools: Pick<Tools, 'crm'>,
): Handler<typeof triggers.ingestWorkflowEvent, LeadRecord | undefined> => ({
  async check({ body: { leadId }, caller }) {
    if (caller.type !== 'system') throw fail('services_only');
    if (leadId === undefined || leadId === null) return undefined;
    const [lead] = await tools.crm.readLeads({ body: { ids: [leadId] }, as: asService(caller) });
    return lead;
  },
  async run({ body: { eventType, eventId, payload = {} }, found: lead, tx, schedule }) {
    // Workflows run for leads: an event without one starts none.
    if (!lead) return { workflowIds: [], executionIds: [] };
    const started = await startMatching(
      { tx, schedule },
      [{ type: eventType, leadId: lead.id, lead, eventId, payload }],
      log,
    );
    return {
      workflowIds: started.map(({ workflowId }) => workflowId),
      executionIds: started.flatMap(({ enrolled }) => enrolled.flatMap(({ executionId }) => executionId ?? [])),
    };
  },
});
