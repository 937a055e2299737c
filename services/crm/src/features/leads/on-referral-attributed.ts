import { leadUpdated } from '@tandem/crm-contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { referralAttributed } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import { asLead, writeLead } from './lead.ts';

/** Writes the partner of a lead that the partner service has attributed. */
export const notePartners = consumer({
  name: 'note-partners',
  on: [referralAttributed],
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const partnerOf = new Map(events.map(({ data }) => [data.leadId, data.partnerId]));
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
    }
  },
});
