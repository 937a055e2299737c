import { type FieldError, unknownId } from '@tandem/contract';
import { fail, type Under } from '@tandem/service';
import type { Tx } from './handler.ts';

/** Records that another record refers to. */
interface Links {
  leadId?: number | null | undefined;
  opportunityId?: number | null | undefined;
}

interface Inside {
  tx: Tx;
  under: Under;
}

/** The errors of records that a request refers to: they must exist, and the caller must be able to read them. */
export async function linkErrors({ tx, under }: Inside, links: Links): Promise<FieldError[]> {
  const { leadId, opportunityId } = links;
  const present = (id: number) => ({ where: { id, deletedAt: null }, select: { id: true } });
  const errors: FieldError[] = [];
  if (leadId && !(await under('leads:read', () => tx.lead.findFirst(present(leadId)))))
    errors.push({ field: 'leadId', message: unknownId('lead') });
  if (opportunityId && !(await under('opportunities:read', () => tx.opportunity.findFirst(present(opportunityId)))))
    errors.push({ field: 'opportunityId', message: unknownId('opportunity') });
  return errors;
}

/** Fails with these errors. */
export async function checkLinks(inside: Inside, links: Links): Promise<void> {
  const errors = await linkErrors(inside, links);
  if (errors.length) throw fail('validation_failed', errors);
}
