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
  const now = new Date().toISOString();
  const none = ['phone', 'assignedTo', 'teamId', 'accountId', 'partnerId', 'externalId', 'referralCode', 'timezone'];
  const record = {
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
    mergedIntoId: into ?? null,
    version,
    createdAt: now,
    updatedAt: now,
  };
  const target = { type: 'lead', id: Number(leadId) };
  if (into) return publish(told, 'lead.deleted', { target, data: { leadId, mergedIntoId: into }, record }, id);
  return publish(told, 'lead.restored', { target, data: { leadId, unmergedFromId: from }, record }, id);
}
