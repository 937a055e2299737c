import { idInText } from '@tandem/contract';
import { leadRestored, type leads } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { survivorOf } from '../accounts/survivor.ts';
import { placeInAccounts } from '../activities/on-record-changed.ts';
import { claimAgain } from '../custom-fields/write-values.ts';
import { checkExternalId, lockExternalIds } from './external-id.ts';
import { type LeadRecord, lockLead, writeLead } from './lead.ts';

export const restoreLead: Handler<typeof leads.restoreLead> = async ({ params, tx, emit, ifMatch }) => {
  const found = await tx.lead.findFirst({ where: { id: params.id }, select: { externalId: true } });
  // A deleted lead cannot be changed, so that this is the external id that it has under its lock too.
  await lockExternalIds(tx, [found?.externalId]);
  const lead = await lockLead(tx, params.id, 'deleted');
  ifMatch(lead);
  if (lead.mergedIntoId !== null) {
    const message = `The lead was merged into ${idInText('lead', lead.mergedIntoId)}`;
    throw fail('lead_merged', [{ field: 'id', message }]);
  }
  const restored = await bringBack(tx, lead);
  const { isEmpty, audit } = diff(lead, { accountId: restored.accountId });
  if (!isEmpty) await placeInAccounts(tx, [lead.id]);
  emit(leadRestored, { data: { leadId: lead.id }, record: restored, changes: audit });
  return restored;
};

/** Restores a locked lead, unless another record has taken one of its unique values meanwhile. */
export async function bringBack(tx: Tx, lead: LeadRecord): Promise<LeadRecord> {
  await checkExternalId(tx, lead.externalId, lead.id);
  await claimAgain(tx, 'lead', lead);
  // The account may have been merged into another one, which took over only the leads that existed then.
  const accountId = lead.accountId && (await survivorOf(tx, lead.accountId));
  return writeLead(tx, lead.id, { deletedAt: null, mergedIntoId: null, externalKey: lead.externalId, accountId });
}
