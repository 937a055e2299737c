import {
  approvalDecided,
  approvalRequested,
  bulkRunCompleted,
  executionCompleted,
  executionFailed,
} from '@tandem/agents-contract';
import { exportCompleted, predictionCompleted, reportCompleted, reportFailed } from '@tandem/analytics-contract';
import { formSubmitted } from '@tandem/campaign-contract';
import { allows, type EventDef, type SchemaNode, walkIds } from '@tandem/contract';
import {
  leadCreated,
  leadDeleted,
  leadRestored,
  leadUpdated,
  opportunityCreated,
  opportunityLost,
  opportunityStageChanged,
  opportunityWon,
  reminderDue,
  taskCompleted,
  taskCreated,
} from '@tandem/crm-contract';
import {
  fileDeleted,
  fileOcrCompleted,
  fileQuarantined,
  fileRestored,
  fileUpdated,
  fileUploaded,
  fileVersionCreated,
  signatureCancelled,
  signatureCompleted,
  signatureDeclined,
  signatureExpired,
  signatureSent,
  signatureSigned,
  signatureViewed,
} from '@tandem/files-contract';
import {
  addonActivated,
  addonConfigured,
  addonInstalled,
  addonSuspended,
  addonUninstalled,
  addonUpgraded,
  apiKeyCreated,
  apiKeyRevoked,
  apiKeyRotated,
  subscriptionCanceled,
  subscriptionUpdated,
  usageThresholdReached,
} from '@tandem/identity-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import {
  connectionConnected,
  connectionDisconnected,
  connectionNeedsReauth,
  connectionRecovered,
  deliveryExhausted,
  runFailed,
  syncCompleted,
  webhookDisabled,
  webhookFailing,
  webhookRecovered,
  webhookSecretRotated,
} from '@tandem/integrations-contract';
import { commissionEarned, commissionPaid, partnerApproved, partnerRegistered } from '@tandem/partner-contract';
import {
  certificateExpiring,
  certificateIssued,
  courseArchived,
  courseCompleted,
  coursePublished,
  enrollmentCreated,
  enrollmentDue,
  enrollmentExpiring,
  enrollmentOverdue,
  enrollmentWithdrawn,
  lessonFailed,
} from '@tandem/training-contract';
import { z } from 'zod';

/** Events that webhooks can receive, in catalogue order. A test checks that none is missing. */
export const catalogued = [
  leadCreated,
  leadUpdated,
  leadDeleted,
  leadRestored,
  opportunityCreated,
  opportunityStageChanged,
  opportunityWon,
  opportunityLost,
  partnerRegistered,
  partnerApproved,
  commissionEarned,
  commissionPaid,
  taskCreated,
  taskCompleted,
  formSubmitted,
  reminderDue,
  coursePublished,
  courseArchived,
  courseCompleted,
  lessonFailed,
  enrollmentCreated,
  enrollmentWithdrawn,
  enrollmentDue,
  enrollmentOverdue,
  enrollmentExpiring,
  certificateIssued,
  certificateExpiring,
  fileOcrCompleted,
  fileUploaded,
  fileQuarantined,
  fileVersionCreated,
  fileUpdated,
  fileDeleted,
  fileRestored,
  signatureSent,
  signatureViewed,
  signatureSigned,
  signatureCompleted,
  signatureDeclined,
  signatureExpired,
  signatureCancelled,
  executionCompleted,
  executionFailed,
  approvalRequested,
  approvalDecided,
  bulkRunCompleted,
  subscriptionUpdated,
  subscriptionCanceled,
  usageThresholdReached,
  addonInstalled,
  addonActivated,
  addonSuspended,
  addonUninstalled,
  addonUpgraded,
  addonConfigured,
  apiKeyCreated,
  apiKeyRotated,
  apiKeyRevoked,
  webhookFailing,
  webhookDisabled,
  webhookRecovered,
  webhookSecretRotated,
  deliveryExhausted,
  connectionConnected,
  connectionNeedsReauth,
  connectionRecovered,
  connectionDisconnected,
  syncCompleted,
  runFailed,
  exportCompleted,
  reportCompleted,
  reportFailed,
  predictionCompleted,
] as const satisfies readonly EventDef[];

/** Groups of the spec. The catalogue lists only these unless the request includes all groups. */
export const standardGroups = ['leads', 'opportunities', 'partners', 'commissions', 'tasks', 'forms'] as const;
export const furtherGroups = [
  'reminders',
  'training',
  'files',
  'agents',
  'billing',
  'integrations',
  'analytics',
] as const;

const byName = new Map<string, EventDef>(catalogued.map((event) => [event.name, event]));
/** Prefixes allowed before `.*`, such as `lead`, `training` and `training.course`. */
const prefixes = new Set(
  catalogued.flatMap(({ name }) => [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index))),
);
const standard = new Set(
  [...byName.values()].filter(({ group }) => standardGroups.some((one) => one === group)).map(({ name }) => name),
);
const rewriters = new Map(catalogued.map(({ name, data }) => [name as string, compileRewriter(walkIds(data))]));

/** Whether a subscription may contain this: an event name, a prefix (`lead.*`), or all events of the spec (`*`). */
export function isSubscribable(pattern: string): boolean {
  return pattern === '*' || byName.has(pattern) || (pattern.endsWith('.*') && prefixes.has(pattern.slice(0, -2)));
}

/**
 * Whether a subscription covers an event. `*` covers only the groups of the spec, so that a new release does not send
 * unrequested events to existing subscriptions; other events need their name or a prefix.
 */
export function matches(patterns: readonly string[], event: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*') return standard.has(event);
    return pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : pattern === event;
  });
}

/** The names of the events that a subscription covers. */
export function eventsOf(patterns: readonly string[]): string[] {
  return catalogued.map(({ name }) => name).filter((name) => matches(patterns, name));
}

/** The schemas of the data of the events that a subscription covers. */
export function dataSchemasOf(patterns: readonly string[]): SchemaNode[] {
  return catalogued.filter(({ name }) => matches(patterns, name)).map(({ data }) => data);
}

/** Whether this release knows the event. */
export function isCatalogued(event: string): boolean {
  return byName.has(event);
}

/** Whether permissions allow reading all records that an event is about. */
export function mayReceive(permissions: readonly string[], event: string): boolean {
  const { readPermission } = byName.get(event) ?? {};
  return readPermission !== undefined && allows(permissions, readPermission) === 'all';
}

/** Names of the events whose data the permissions allow reading. */
export function receivable(permissions: readonly string[]): string[] {
  return catalogued.map(({ name }) => name).filter((name) => mayReceive(permissions, name));
}

/** Permissions missing to subscribe to a pattern. `*` covers all readable events, so one readable event is enough. */
export function missingFor(pattern: string, permissions: readonly string[]): string[] {
  const covered = catalogued.filter(({ name }) => matches([pattern], name));
  const missing = covered.filter(({ name }) => !mayReceive(permissions, name));
  if (pattern === '*' && missing.length < covered.length) return [];
  return [...new Set(missing.map(({ readPermission }) => readPermission as string))];
}

/** The first event in catalogue order that a subscription covers. */
export function firstEvent(patterns: readonly string[]): string {
  return (catalogued.find(({ name }) => matches(patterns, name)) as EventDef).name;
}

/** Event data in the public format: dates as text, ids as public codes. */
export function publicData(event: string, data: unknown, to: { ids: IdCodec; tenantId: number }): object {
  const wire = z.encode((byName.get(event) as EventDef).data, data) as object;
  rewriters.get(event)?.(wire, (type, found) => to.ids.encode(type, to.tenantId, Number(found)));
  return wire;
}

/** Request body of a delivery. */
export function envelopeOf(event: { id: string; type: string; createdAt: Date; data: unknown }) {
  const { id, type, createdAt, data } = event;
  return { id, type, createdAt: createdAt.toISOString(), data: data as Record<string, unknown> };
}

const exampleEventId = 'zsa7sCZF7AGQ7nZu';
const exampleSequence = 4711;
const exampleCreatedAt = new Date('2026-01-15T09:30:00.000Z');

/** Request body with the example data of an event; its ids do not exist. */
export function exampleEnvelope(event: string, id = exampleEventId) {
  const { example } = byName.get(event) as EventDef;
  return envelopeOf({
    id,
    type: event,
    createdAt: exampleCreatedAt,
    data: { ...(example as object), sequence: exampleSequence },
  });
}
