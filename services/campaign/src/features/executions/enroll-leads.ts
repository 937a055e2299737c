import type { executions } from '@tandem/campaign-contract';
import { asService, reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { enroll } from '../engine/enroll.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { unreachableLeads } from '../suppressions/unreachable-leads.ts';
import { requireEnterable } from '../workflows/enterable.ts';

export const enrollLeads = (
  tools: Pick<Tools, 'crm' | 'seal'>,
): Handler<typeof executions.enrollLeads, LeadRecord[]> => ({
  check: ({ body, caller }) =>
    tools.crm.readLeads({
      body: { ids: [...new Set(body.leadIds)] },
      as: asService(caller, reachOf(caller, 'leads:read')),
    }),
  async run({ params, body, found: leads, tx, schedule }) {
    const workflow = await requireEnterable(tx, params.id);
    const unreachable = await unreachableLeads(tools, tx, workflow.nodes, leads);
    const free = leads.filter(({ id }) => !unreachable.has(id));
    const enrolled = await enroll(
      { tx, schedule },
      workflow,
      free.map(({ id }) => ({ leadId: id })),
      { source: 'manual' },
    );
    const resultOf = new Map(enrolled.map((one) => [one.leadId, one]));
    const known = new Set(leads.map(({ id }) => id));
    const results = [...new Set(body.leadIds)].map(
      (leadId) =>
        resultOf.get(leadId) ?? {
          leadId,
          result: known.has(leadId) ? ('suppressed' as const) : ('not_found' as const),
          executionId: null,
        },
    );
    return { results };
  },
});
