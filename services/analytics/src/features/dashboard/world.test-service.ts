import type { Analytics } from '../../analytics.test-service.ts';
import { report } from '../../records.test-service.ts';
import { aTenant } from '../cohort-definitions/cohorts.test-service.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const begin = Date.UTC(2026, 2, 1);
export const days = 40;
const leadsMax = 50;

/** A generator of pseudo-random integers, so that a failure can be repeated. */
export function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Random leads with deals and events. */
export function aWorld(below: ReturnType<typeof random>) {
  const one = <T>(values: readonly T[]) => values[below(values.length)] as T;
  const time = () => new Date(begin + below(days * 24) * hourMs).toISOString();
  const owner = () => ({ userId: one(['5', '6', null]), teamId: one(['7', null]) });
  const leads = Array.from({ length: leadsMax }, (_, index) => ({
    id: String(index + 1),
    ...{ source: one(['web', 'api', null]), status: one(['new', 'contacted', 'qualified']), ...owner() },
    ...{ createdAt: time(), convertedAt: below(2) ? time() : null, isDeleted: below(10) === 0 },
  }));
  const leadId = () => String(below(leadsMax) + 1);
  const deals = Array.from({ length: 60 }, (_, index) => ({
    id: String(index + 1),
    ...{ leadId: below(5) ? leadId() : null, status: one(['open', 'won', 'lost']), currency: one(['EUR', 'USD']) },
    ...{ value: below(1_000), createdAt: time(), closedAt: time(), isDeleted: below(10) === 0, ...owner() },
  }));
  const types = ['email_sent', 'email_open', 'link_click', 'email_reply', 'page_visit'] as const;
  const events = Array.from({ length: 300 }, () => ({
    ...{ leadId: leadId(), eventType: one(types), timestamp: time(), automated: below(4) === 0 },
    messageId: one(['m-1', 'm-2']),
  }));
  return { leads, deals, events };
}
export type World = ReturnType<typeof aWorld>;

/** A tenant with the records of a world. */
export async function aTenantWith(service: Analytics, { leads, deals, events }: World) {
  const tenant = aTenant(service);
  for (const { isDeleted, convertedAt, userId: assignedTo, ...lead } of leads) {
    await tenant.lead({ ...lead, assignedTo, version: 1 });
    if (convertedAt) await tenant.lead({ ...lead, assignedTo, convertedAt, version: 2 }, 'lead.converted');
    if (isDeleted) await tenant.lead({ ...lead, assignedTo, convertedAt, version: 3 }, 'lead.deleted');
  }
  const data = { value: 1, stage: 'prospecting' };
  for (const { isDeleted, userId: ownerId, closedAt, ...deal } of deals) {
    const ended = deal.status === 'open' ? null : closedAt;
    await report(tenant.told, 'opportunity.created', { ...deal, ownerId, closedAt: ended, version: 1 }, { data });
    if (isDeleted) await report(tenant.told, 'opportunity.deleted', { ...deal, ownerId, closedAt: ended, version: 2 });
  }
  await report(tenant.told, 'task.completed', {
    ...{ id: '1', version: 1, status: 'completed', completedAt: new Date(begin + dayMs).toISOString() },
  });
  await tenant.counted();
  // One after the other, so that the first event of a message is known.
  for (const event of events) expect((await tenant.api.recordEvent({ body: event })).status).toBe(201);
  return tenant;
}
