import { leadUpdated, opportunityUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { referralAttributed } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { asOpportunity, writeOpportunity } from '../opportunities/opportunity.ts';
import { asLead, writeLead } from './lead.ts';

/** Writes the partner of a lead that the partner service has attributed, also to its open deals that have none. */
export const notePartners = consumer({
  name: 'note-partners',
  on: [referralAttributed],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const partnerOf = new Map(events.map(({ data }) => [data.leadId, data.partnerId]));
    const changed: number[] = [];
    // Locked in the order of ids, so that two transactions cannot wait for each other.
    for (const leadId of [...partnerOf.keys()].sort((one, other) => one - other)) {
      const row = await tx.lead.lockFirst({ where: { id: leadId } });
      if (!row || row.deletedAt) continue;
      const { partnerId: from } = asLead(row);
      const to = partnerOf.get(leadId) as number;
      if (from === to) continue;
      const updated = await writeLead(tx, leadId, { partnerId: to });
      emit(leadUpdated, {
        data: { leadId, changes: { partnerId: to } },
        record: updated,
        changes: { partnerId: { from, to } },
      });
      changed.push(leadId);
    }
    const ofLeads = { leadId: { in: changed }, status: 'open', partnerId: null, deletedAt: null };
    const deals = await tx.opportunity.findMany({ where: ofLeads, orderBy: { id: 'asc' }, select: { id: true } });
    for (const { id } of deals) {
      const row = await tx.opportunity.lockFirst({ where: { id, ...ofLeads } });
      if (!row) continue;
      const { leadId } = asOpportunity(row);
      const to = partnerOf.get(leadId as number) as number;
      const updated = await writeOpportunity(tx, id, { partnerId: to });
      emit(opportunityUpdated, {
        data: { opportunityId: id, fields: ['partnerId'] },
        record: updated,
        changes: { partnerId: { from: null, to } },
      });
    }
  },
});
