import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { asService, failField, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { Person } from './referral.ts';
import type { ReferralInput } from './touch-of-request.ts';

export interface FoundLead extends Person {
  id: number;
}

/** @throws 422 unless the request names a lead in one way */
export function checkLeadFields({ leadId, lead }: ReferralInput): void {
  if (leadId && lead) throw failField('lead', 'Send either leadId or lead, not both');
  if (!leadId && !lead) throw failField('leadId', 'Is required unless lead is sent');
}

/**
 * Finds the lead of a request in crm, or creates it.
 * @throws 422 for a lead that does not exist or that the caller cannot read
 */
export async function findLead(
  { leadId, lead }: ReferralInput,
  caller: Caller,
  { peers }: Pick<Tools, 'peers'>,
): Promise<FoundLead> {
  const read = async (id: number, as: ReturnType<typeof asService>) =>
    (await peers.crm.findLeads({ body: { ids: [id] }, as }))[0];
  const own = asService(caller, reachOf(caller, 'leads:read'));
  if (leadId) {
    const found = await read(leadId, own);
    if (!found) throw failField('leadId', unknownId('lead'));
    return found;
  }
  if (!lead) throw failField('leadId', 'Is required unless lead is sent');
  const body = { ...lead, source: 'referral' as const };
  const { leadId: id, created } = await peers.crm.upsertLeadByEmail({ body, as: asService(caller) });
  // A new lead has no owner yet, so a caller who reads only own leads does not find it.
  const found = await read(id, created ? asService(caller) : own);
  if (!found) throw failField('lead', 'A lead with this e-mail address belongs to somebody else');
  return found;
}
