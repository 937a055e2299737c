import { publish } from '@tandem/testing';
import type { Analytics } from './analytics.test-service.ts';

/** A tenant as other services report its records. */
export interface Reports {
  service: Analytics;
  tenantId: number;
  environment?: 'live' | 'sandbox';
}

/** A version of a record: its id, and the fields that differ from those of an ordinary record. */
export interface Version {
  id: string;
  version: number;
  createdAt?: string;
  [field: string]: unknown;
}

const nobody = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
const at = '2026-03-02T10:00:00.000Z';

const records: Record<string, (version: Version) => object> = {
  lead: ({ id }) => ({
    ...nobody(['phone', 'assignedTo', 'teamId', 'accountId', 'partnerId', 'externalId', 'referralCode', 'timezone']),
    ...nobody(['convertedAt', 'convertedOpportunityId', 'createdBy', 'mergedIntoId']),
    ...{ email: `lead${id}@example.com`, firstName: 'Ada', lastName: 'King', source: 'web', status: 'new' },
    ...{
      statusCode: 'new',
      allowedTransitions: [],
      consent: {},
      score: 0,
      scorePinned: false,
      customFields: {},
      tags: [],
    },
  }),
  opportunity: () => ({
    ...nobody(['leadId', 'accountId', 'pipelineId', 'expectedCloseAt', 'closedAt', 'ownerId', 'teamId', 'partnerId']),
    ...nobody(['notes', 'outcome', 'createdBy']),
    ...{ name: 'Rollout', value: 100, currency: 'EUR', status: 'open', allowedTransitions: [], stage: 'proposal' },
    ...{ stageId: '1', probability: 10, probabilityOverridden: false, forecastCategory: 'pipeline', customFields: {} },
    daysInStage: 0,
  }),
  partner: ({ id }) => ({
    ...nobody(['phone', 'company', 'tierGraceUntil', 'parentPartnerId', 'approvedAt', 'createdBy', 'statusReason']),
    ...nobody(['statusChangedAt', 'termsVersion', 'termsAcceptedAt', 'emailConfirmedAt', 'planId']),
    ...{ email: `partner${id}@example.com`, firstName: 'Joan', lastName: 'Clarke', tier: 'bronze', tierLocked: false },
    ...{ status: 'approved', allowedTransitions: [], customFields: {} },
  }),
  commission: () => ({
    ...nobody(['basisAmount', 'rate', 'planId', 'planVersion', 'planSource', 'rateSource', 'leadId', 'opportunityId']),
    ...nobody(['externalId', 'holdUntil', 'approvedAt', 'paidAt', 'payoutId', 'originalCommissionId', 'reason']),
    ...{
      partnerId: '1',
      amount: 10,
      currency: 'EUR',
      level: 1,
      type: 'earned',
      status: 'pending',
      allowedTransitions: [],
    },
  }),
  task: () => ({
    ...nobody(['description', 'dueAt', 'leadId', 'opportunityId', 'partnerId', 'assignedTo', 'teamId', 'completedAt']),
    ...nobody(['completedBy', 'outcome', 'outcomeNote', 'createdBy']),
    ...{ title: 'Call', type: 'call', priority: 'normal', status: 'pending', allowedTransitions: [], overdue: false },
    escalationLevel: 0,
  }),
};

/** Publishes an event about a record, as the service that has it does. */
export function report(
  { service, tenantId, environment = 'live' }: Reports,
  name: string,
  version: Version,
  { data = {}, occurredAt = new Date().toISOString() }: { data?: object; occurredAt?: string } = {},
): Promise<void> {
  const [type] = name.split('.') as [string];
  const base = { tenantId: `${tenantId}`, createdAt: at, updatedAt: occurredAt, ...records[type]?.(version) };
  const ids = { [`${type}Id`]: version.id };
  return publish({ service, tenantId, environment }, name, {
    target: { type, id: Number(version.id) },
    data: { ...ids, ...data },
    record: { ...base, ...version },
    occurredAt,
  });
}

/** Reports the settings of the tenant. */
export function reportTimezone({ service, tenantId }: Reports, timezone: string, version: number): Promise<void> {
  const settings = { currency: 'EUR', timezone, locale: 'en' };
  const record = {
    ...{ id: `${tenantId}`, name: 'Engines', slug: 'engines', plan: 'pro', status: 'active', allowedTransitions: [] },
    ...{ settings, version, createdAt: at, updatedAt: at },
  };
  return publish({ service, tenantId }, 'tenant.updated', {
    target: { type: 'tenant', id: tenantId },
    data: { tenantId: `${tenantId}` },
    record,
  });
}
