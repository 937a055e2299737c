import { approvalDecided, approvalRequested, executionCompleted, executionFailed } from '@tandem/agents-contract';
import { formSubmitted } from '@tandem/campaign-contract';
import { allows, type EventDef, walkIds } from '@tandem/contract';
import {
  leadCreated,
  leadDeleted,
  leadRestored,
  leadUpdated,
  opportunityCreated,
  opportunityLost,
  opportunityStageChanged,
  opportunityWon,
  taskCompleted,
  taskCreated,
} from '@tandem/crm-contract';
import { fileDeleted, fileRestored, fileUploaded } from '@tandem/files-contract';
import { addonInstalled, subscriptionCanceled, subscriptionUpdated } from '@tandem/identity-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import {
  deliveryExhausted,
  webhookDisabled,
  webhookFailing,
  webhookRecovered,
  webhookSecretRotated,
} from '@tandem/integrations-contract';
import { commissionEarned, commissionPaid, partnerApproved, partnerRegistered } from '@tandem/partner-contract';
import { courseArchived, coursePublished, enrollmentCreated, enrollmentWithdrawn } from '@tandem/training-contract';
import { z } from 'zod';

/** The events that webhooks can receive, in the order the catalogue shows them. A test finds one that was left out. */
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
  coursePublished,
  courseArchived,
  enrollmentCreated,
  enrollmentWithdrawn,
  fileUploaded,
  fileDeleted,
  fileRestored,
  executionCompleted,
  executionFailed,
  approvalRequested,
  approvalDecided,
  subscriptionUpdated,
  subscriptionCanceled,
  addonInstalled,
  webhookFailing,
  webhookDisabled,
  webhookRecovered,
  webhookSecretRotated,
  deliveryExhausted,
] as const satisfies readonly EventDef[];

/** The groups of the spec; the catalogue shows these, and the further ones only when asked for. */
export const standardGroups = ['leads', 'opportunities', 'partners', 'commissions', 'tasks', 'forms'] as const;
export const furtherGroups = ['training', 'files', 'agents', 'billing', 'integrations', 'analytics'] as const;

const byName = new Map<string, EventDef>(catalogued.map((event) => [event.name, event]));
/** What may stand before `.*`: `lead`; of `training.course.published` both `training` and `training.course`. */
const prefixes = new Set(
  catalogued.flatMap(({ name }) => [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index))),
);
const standard = new Set(
  [...byName.values()].filter(({ group }) => standardGroups.some((one) => one === group)).map(({ name }) => name),
);
const rewriters = new Map(catalogued.map(({ name, data }) => [name as string, compileRewriter(walkIds(data))]));

/** Whether a subscription may name this: an event, all that begin alike (`lead.*`), or all of the spec (`*`). */
export function isSubscribable(pattern: string): boolean {
  return pattern === '*' || byName.has(pattern) || (pattern.endsWith('.*') && prefixes.has(pattern.slice(0, -2)));
}

/**
 * Whether a subscription covers an event. `*` stands for the groups of the spec: who has it is not to be sent, with a
 * release of ours, what was never asked for; a further event is subscribed to by its name or its beginning.
 */
export function matches(patterns: readonly string[], event: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*') return standard.has(event);
    return pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : pattern === event;
  });
}

/** Whether permissions allow to see the data of an event: the records it is about, all of them. */
export function mayReceive(permissions: readonly string[], event: string): boolean {
  const { readPermission } = byName.get(event) ?? {};
  return readPermission !== undefined && allows(permissions, readPermission) === 'all';
}

/** The events whose data a set of permissions allows to see. */
export function receivable(permissions: readonly string[]): string[] {
  return catalogued.map(({ name }) => name).filter((name) => mayReceive(permissions, name));
}

/** The permissions that a set lacks to subscribe to a pattern. `*` stands for what one may read, so it needs one of them. */
export function missingFor(pattern: string, permissions: readonly string[]): string[] {
  const covered = catalogued.filter(({ name }) => matches([pattern], name));
  const missing = covered.filter(({ name }) => !mayReceive(permissions, name));
  if (pattern === '*' && missing.length < covered.length) return [];
  return [...new Set(missing.map(({ readPermission }) => readPermission as string))];
}

/** The first event a subscription covers. */
export function firstEvent(patterns: readonly string[]): string {
  return (catalogued.find(({ name }) => matches(patterns, name)) as EventDef).name;
}

/** Data of an event as customers see it: dates as text, ids as their public codes. */
export function publicData(event: string, data: unknown, to: { ids: IdCodec; tenantId: number }): unknown {
  const wire = z.encode((byName.get(event) as EventDef).data, data as never);
  rewriters.get(event)?.(wire, (type, found) => to.ids.encode(type, to.tenantId, Number(found)));
  return wire;
}

/** The body of a delivery. */
export function envelopeOf(event: { id: string; type: string; createdAt: Date; data: unknown }) {
  const { id, type, createdAt, data } = event;
  return { id, type, createdAt: createdAt.toISOString(), data: data as Record<string, unknown> };
}

const exampleEventId = 'zsa7sCZF7AGQ7nZu';
const exampleCreatedAt = new Date('2026-01-15T09:30:00.000Z');

/** The body of a delivery with the example of an event; the ids in it belong to nobody. */
export function exampleEnvelope(event: string, id = exampleEventId) {
  const { example } = byName.get(event) as EventDef;
  return envelopeOf({ id, type: event, createdAt: exampleCreatedAt, data: example });
}
