import { type FieldError, unknownId } from '@tandem/contract';
import type { Under } from '@tandem/service';
import type { Tx } from '../../handler.ts';

interface Links {
  leadId?: number | null | undefined;
  opportunityId?: number | null | undefined;
}

/** The errors of records that a task refers to: they must exist, and the caller must be able to read them. */
export async function linkErrors({ tx, under }: { tx: Tx; under: Under }, links: Links): Promise<FieldError[]> {
  const { leadId, opportunityId } = links;
  const select = { id: true };
  const errors: FieldError[] = [];
  if (leadId) {
    const where = { id: leadId, deletedAt: null };
    const lead = await under('leads:read', () => tx.lead.findFirst({ where, select }));
    if (!lead) errors.push({ field: 'leadId', message: unknownId('lead') });
  }
  if (opportunityId) {
    const where = { id: opportunityId, deletedAt: null };
    const opportunity = await under('opportunities:read', () => tx.opportunity.findFirst({ where, select }));
    if (!opportunity) errors.push({ field: 'opportunityId', message: unknownId('opportunity') });
  }
  return errors;
}
