import { email } from '@tandem/contract';
import { activities } from '@tandem/crm-contract';
import { asService, reachOf } from '@tandem/service';
import type { ExternalRecord } from '../../../connectors/sync.ts';
import type { Target, TargetContext } from '../target.ts';

const Address = email();

/** Notes about what happened in a connected system, on the timeline of the lead with the address. */
export const activityTarget: Target<'activity'> = {
  kind: 'activity',
  permissions: ['leads:read', 'activities:write'],
  async write({ crm, as, key }, record, linkedId) {
    // What happened does not change later.
    if (linkedId !== undefined || record.isDeleted) return { action: 'unchanged' };
    const leadId = await findLead({ crm, as }, record.leadEmail);
    if (leadId === undefined) return { action: 'skipped', reason: 'no_lead' };
    const { occurredAt, ...fields } = fieldsOf(record);
    const body = { ...fields, occurredAt: new Date(occurredAt), leadId };
    const { id } = await crm.createActivity({ body, as, idempotencyKey: key });
    return { action: 'created', recordId: id };
  },
  check(record) {
    const { error } = activities.createActivity.body.safeParse(fieldsOf(record));
    return (error?.issues ?? []).map(({ path, message }) => ({ field: path.join('.'), message }));
  },
};

/** The oldest lead with an address, of those that the user may read. */
async function findLead(
  { crm, as }: Pick<TargetContext, 'crm' | 'as'>,
  address: string | null,
): Promise<number | undefined> {
  const { data } = Address.safeParse(address);
  if (data === undefined) return undefined;
  const caller = { ...as, type: 'system' as const };
  const reader = asService(caller, reachOf(caller, 'leads:read'));
  const [lead] = await crm.findLeadsByEmail({ body: { email: data }, as: reader });
  return lead?.id;
}

function fieldsOf({ fields }: Extract<ExternalRecord, { kind: 'activity' }>) {
  return { type: 'note' as const, ...fields };
}
