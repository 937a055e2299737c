import { publish, type Told } from './identity-peer.ts';

interface MergeEvent {
  leadId: string;
  /** The survivor, for a merge. */
  into?: string;
  /** The survivor, for a merge that is undone. */
  from?: string;
  /** The version of the lead. */
  version: number;
  id?: string;
}

/** Publishes the event that a lead was merged, or that this was undone, as crm does. */
export function publishLeadMerge(told: Told, { leadId, into, from, version, id }: MergeEvent): Promise<void> {
  const target = { type: 'lead', id: Number(leadId) };
  const record = recordOf(told, { leadId, version, mergedIntoId: into ?? null });
  if (into) return publish(told, 'lead.deleted', { target, data: { leadId, mergedIntoId: into }, record }, id);
  return publish(told, 'lead.restored', { target, data: { leadId, unmergedFromId: from }, record }, id);
}

interface DeletionEvent {
  leadId: string;
  version: number;
  isErased?: boolean;
  id?: string;
}

/** Publishes the event that a lead was deleted or restored, as crm does. */
export function publishLeadDeletion(
  told: Told,
  name: 'lead.deleted' | 'lead.restored',
  { leadId, version, isErased, id }: DeletionEvent,
): Promise<void> {
  const data = { leadId, ...(isErased && { erased: true }) };
  const target = { type: 'lead', id: Number(leadId) };
  return publish(told, name, { target, data, record: recordOf(told, { leadId, version, mergedIntoId: null }) }, id);
}

function recordOf(
  told: Told,
  { leadId, version, mergedIntoId }: { leadId: string; version: number; mergedIntoId: string | null },
) {
  const now = new Date().toISOString();
  const none = ['phone', 'assignedTo', 'teamId', 'accountId', 'partnerId', 'externalId', 'referralCode', 'timezone'];
  return {
    ...Object.fromEntries([...none, 'convertedAt', 'convertedOpportunityId', 'createdBy'].map((name) => [name, null])),
    id: leadId,
    tenantId: `${told.tenantId}`,
    email: `lead${leadId}@example.com`,
    firstName: 'Ada',
    lastName: 'King',
    source: 'web',
    status: 'new',
    statusCode: 'new',
    allowedTransitions: [],
    consent: {},
    score: 0,
    scorePinned: false,
    customFields: {},
    tags: [],
    mergedIntoId,
    version,
    createdAt: now,
    updatedAt: now,
  };
}
