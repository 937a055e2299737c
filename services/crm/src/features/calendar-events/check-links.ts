import { unknownId } from '@tandem/contract';
import { failField, type Under } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Fails with field errors unless the caller can read the lead and the opportunity of an event. */
export async function checkLinks(
  { leadId, opportunityId }: { leadId?: number | null | undefined; opportunityId?: number | null | undefined },
  { tx, under }: { tx: Tx; under: Under },
): Promise<void> {
  const select = { id: true };
  if (leadId) {
    const where = { id: leadId, deletedAt: null };
    const lead = await under('leads:read', () => tx.lead.findFirst({ where, select }));
    if (!lead) throw failField('leadId', unknownId('lead'));
  }
  if (opportunityId) {
    const where = { id: opportunityId, deletedAt: null };
    const opportunity = await under('opportunities:read', () => tx.opportunity.findFirst({ where, select }));
    if (!opportunity) throw failField('opportunityId', unknownId('opportunity'));
  }
}
