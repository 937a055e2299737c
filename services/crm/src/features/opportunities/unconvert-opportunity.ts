import { leadUnconverted, leadUpdated, type opportunityStages, opportunityStates } from '@tandem/crm-contract';
import { diff, fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockLead, writeLead } from '../leads/lead.ts';
import { removeOpportunity } from './delete-opportunity.ts';
import { unlinkDeal } from './link-deal.ts';
import { lockOpportunity } from './opportunity.ts';

export const unconvertOpportunity: Handler<typeof opportunityStages.unconvertOpportunity, { leadId: number }> = {
  async check({ params, tx, under }) {
    const opportunity = await tx.opportunity.findFirst({
      where: { id: params.id },
      select: { leadId: true, deletedAt: true },
    });
    if (!opportunity) throw fail('not_found');
    if (opportunity.deletedAt) throw fail('opportunity_deleted');
    const { leadId } = opportunity;
    if (leadId === null) throw fail('not_converted');
    const lead = await under('leads:write', () => tx.lead.findFirst({ where: { id: leadId } }));
    if (!lead) throw fail('not_found');
    if (lead.deletedAt) throw fail('lead_deleted');
    return { leadId };
  },
  async run({ params, body, found: { leadId }, tx, under, emit, ifMatch }) {
    // The lead is locked first, as in a conversion, so that two transactions cannot wait for each other.
    const lead = await under('leads:write', () => lockLead(tx, leadId));
    const opportunity = await lockOpportunity(tx, params.id);
    ifMatch(opportunity);
    const { id, status } = opportunity;
    if (lead.convertedOpportunityId !== id) throw fail('not_converted');
    if (status !== 'open') throw fail('opportunity_closed', [transitionError(status, opportunityStates.next(status))]);
    if (await tx.stageEntry.count({ where: { opportunityId: id, status: 'won' } })) throw fail('opportunity_was_won');
    // A conversion that created the opportunity has its time. The previous release set no mark.
    const wasLinked =
      opportunity.leadByConversion !== null || (lead.convertedAt !== null && lead.convertedAt > opportunity.createdAt);
    if (wasLinked) await unlinkDeal({ tx, emit }, opportunity);
    else await removeOpportunity({ tx, emit }, id, body.reason ?? null);
    const { values, audit } = diff(lead, { convertedAt: null, convertedOpportunityId: null });
    const updated = await under('leads:write', () => writeLead(tx, leadId, values));
    emit(leadUpdated, { data: { leadId, changes: values }, record: updated, changes: audit });
    const reason = body.reason ?? null;
    emit(leadUnconverted, { data: { leadId, opportunityId: id, reason }, record: updated });
    return updated;
  },
};
