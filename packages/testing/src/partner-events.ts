import { publish, type Told } from './identity-peer.ts';

/** Publishes an event of a partner, as the partner service does. */
export function publishPartner(
  told: Told,
  name: string,
  {
    partnerId,
    version,
    data = {},
    ...fields
  }: { partnerId: string; version: number; data?: object; [field: string]: unknown },
): Promise<void> {
  const now = new Date().toISOString();
  const none = ['phone', 'company', 'tierGraceUntil', 'parentPartnerId', 'approvedAt', 'createdBy'];
  const later = ['statusReason', 'statusChangedAt', 'termsVersion', 'termsAcceptedAt'];
  const record = {
    ...Object.fromEntries([...none, ...later].map((field) => [field, null])),
    id: partnerId,
    tenantId: `${told.tenantId}`,
    email: `partner${partnerId}@example.com`,
    firstName: 'Joan',
    lastName: 'Clarke',
    tier: 'bronze',
    tierLocked: false,
    status: 'approved',
    allowedTransitions: [],
    customFields: {},
    version,
    createdAt: now,
    updatedAt: now,
    ...fields,
  };
  return publish(told, name, {
    target: { type: 'partner', id: Number(partnerId) },
    data: { partnerId, ...data },
    record,
  });
}
