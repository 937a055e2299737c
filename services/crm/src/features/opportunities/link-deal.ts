import { unknownId } from '@tandem/contract';
import { opportunityStates, opportunityUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { diff, fail, failField, transitionError } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { presentAccount } from '../accounts/survivor.ts';
import type { LeadRecord } from '../leads/lead.ts';
import { asOpportunity, type LockedOpportunity, writeOpportunity } from './opportunity.ts';

/**
 * Links an open deal to a lead that is converted. The deal gets the account and the partner of the lead if it has none.
 * @throws 409 when the deal is closed or has another lead
 */
export async function linkDeal(
  { tx, emit }: { tx: Tx; emit: Emit },
  opportunityId: number,
  lead: LeadRecord,
): Promise<LockedOpportunity> {
  const field = 'linkOpportunityId';
  const row = await tx.opportunity.lockFirst({ where: { id: opportunityId } });
  if (!row || row.deletedAt) throw failField(field, unknownId('opportunity'));
  const opportunity = asOpportunity(row);
  const { status, leadId, accountId, partnerId } = opportunity;
  if (status !== 'open') throw fail('opportunity_closed', [transitionError(status, opportunityStates.next(status))]);
  // A deal that was restored after its conversion was undone has the lead already.
  if (leadId !== null && leadId !== lead.id)
    throw fail('opportunity_has_lead', [{ field, message: 'Has a lead; send the id of an opportunity without one' }]);
  const { values, audit } = diff(opportunity, {
    leadId: lead.id,
    ...(accountId === null && { accountId: await presentAccount(tx, lead.accountId) }),
    ...(partnerId === null && { partnerId: lead.partnerId }),
  });
  await markLink(tx, opportunityId, leadId === null);
  if (!Object.keys(values).length) return opportunity;
  const linked = await writeOpportunity(tx, opportunityId, values);
  emit(opportunityUpdated, { data: { opportunityId, fields: Object.keys(values) }, record: linked, changes: audit });
  return linked;
}

/** Removes the lead from a locked deal that a conversion had linked, unless the deal had the lead before. */
export async function unlinkDeal({ tx, emit }: { tx: Tx; emit: Emit }, opportunity: LockedOpportunity): Promise<void> {
  await markLink(tx, opportunity.id, null);
  if (opportunity.leadByConversion === false) return;
  const { values, audit } = diff(opportunity, { leadId: null });
  const record = await writeOpportunity(tx, opportunity.id, values);
  emit(opportunityUpdated, {
    data: { opportunityId: opportunity.id, fields: Object.keys(values) },
    record,
    changes: audit,
  });
}

/**
 * Stores whether a conversion set the lead of a locked deal; undoing the conversion removes only such a lead. Null means
 * that no conversion linked the deal. Written by SQL, because Prisma would also change `updatedAt`, which clients see.
 */
async function markLink(tx: Tx, id: number, isSet: boolean | null): Promise<void> {
  await tx.sql`UPDATE opportunity SET lead_by_conversion = ${isSet} WHERE id = ${id}`;
}
