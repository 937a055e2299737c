import { formSubmitted } from '@tandem/campaign-contract';
import { type EventDef, walkIds } from '@tandem/contract';
import {
  leadCreated,
  leadDeleted,
  leadUpdated,
  opportunityCreated,
  opportunityLost,
  opportunityStageChanged,
  opportunityWon,
  taskCompleted,
  taskCreated,
} from '@tandem/crm-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { commissionEarned, commissionPaid, partnerApproved, partnerRegistered } from '@tandem/partner-contract';
import { z } from 'zod';

/** The events that webhooks can receive, in the order the catalogue shows them. A test finds one that was left out. */
export const catalogued = [
  leadCreated,
  leadUpdated,
  leadDeleted,
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
] as const satisfies readonly EventDef[];

/** The groups of the spec; others are shown only when asked for. */
export const standardGroups = ['leads', 'opportunities', 'partners', 'commissions', 'tasks', 'forms'] as const;

const byName = new Map<string, EventDef>(catalogued.map((event) => [event.name, event]));
const resources = new Set(catalogued.map(({ name }) => name.slice(0, name.lastIndexOf('.'))));
const rewriters = new Map(catalogued.map(({ name, data }) => [name as string, compileRewriter(walkIds(data))]));

/** Whether a subscription may name this: an event, all events of a resource (`lead.*`), or all (`*`). */
export function isSubscribable(pattern: string): boolean {
  return pattern === '*' || byName.has(pattern) || (pattern.endsWith('.*') && resources.has(pattern.slice(0, -2)));
}

/** Whether a subscription covers an event. */
export function matches(patterns: readonly string[], event: string): boolean {
  const resource = `${event.slice(0, event.lastIndexOf('.'))}.*`;
  return patterns.some((pattern) => pattern === '*' || pattern === event || pattern === resource);
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

const exampleEventId = 'Ev3nT7kQm92XsLpZ';
const exampleCreatedAt = new Date('2026-01-15T09:30:00.000Z');

/** The body of a delivery with the example of an event; its ids belong to nobody. */
export function exampleEnvelope(event: string) {
  const { example } = byName.get(event) as EventDef;
  return envelopeOf({ id: exampleEventId, type: event, createdAt: exampleCreatedAt, data: example });
}
