import { activities } from '@tandem/crm-contract';
import type { ExternalRecord } from '../../../connectors/sync.ts';
import type { Target } from '../target.ts';
import { findLead } from '../writing.ts';

/** Notes about what happened in a connected system, on the timeline of the lead with the address. */
export const activityTarget: Target<'activity'> = {
  kind: 'activity',
  permissions: ['leads:read', 'activities:write'],
  async write({ crm, as, key }, record, linkedId) {
    // An activity that was logged does not change later.
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

function fieldsOf({ fields }: Extract<ExternalRecord, { kind: 'activity' }>) {
  return { type: 'note' as const, ...fields };
}
