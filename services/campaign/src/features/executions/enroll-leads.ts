import type { executions } from '@tandem/campaign-contract';
import { asService, reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { enroll } from '../engine/enroll.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { suppressedAddresses } from '../suppressions/suppressed.ts';
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
    const addresses = leads.map(({ email }) => email).filter(Boolean);
    const suppressed = await suppressedAddresses(tools, tx, { channel: 'email' }, addresses);
    const free = leads.filter(({ email }) => !isSuppressed(suppressed.get(email)));
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

/** A pause of the lead ends, so it does not keep the lead out. */
function isSuppressed(reason: string | undefined): boolean {
  return reason !== undefined && reason !== 'paused';
}
