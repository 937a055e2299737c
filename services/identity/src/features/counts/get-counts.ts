import { actingUserId, type Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import type { counts } from '@tandem/identity-contract';
import { asService, reachOf, withPermissions } from '@tandem/service';
import { nextMidnight } from '@tandem/time-zones';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { unreadOf } from '../notifications/notification.ts';
import { readTenant } from '../tenants/tenant.ts';

interface Found {
  tasks: { overdue: number; due: number } | null | undefined;
  approvals: { pending: number } | null | undefined;
  partnerApplications: { pending: number } | null | undefined;
}

/** Asks all services at once: the response takes as long as the slowest, at most the timeout of a call. */
export const getCounts = (peers: Tools): Handler<typeof counts.getCounts, Found> => ({
  async check({ caller, tx }) {
    const as = withPermissions(caller);
    const until = nextMidnight(new Date(), await timezoneOf(tx, caller));
    const mayRead = (permission: string) => reachOf(caller, permission) !== 'none';
    const [tasks, approvals, partnerApplications] = await Promise.all([
      mayRead('tasks:read') ? peers.crm.countDueTasks({ body: { until }, as }).catch(unavailable) : null,
      mayRead('agents:read') ? countApprovals(peers, caller).catch(unavailable) : null,
      mayRead('partners:read') ? peers.partner.countPartnerApplications({ as }).catch(unavailable) : null,
    ]);
    return { tasks, approvals, partnerApplications };
  },
  async run({ caller, tx, found, missing }) {
    const { tasks, approvals, partnerApplications } = found;
    for (const [part, value] of Object.entries(found))
      if (value === undefined) missing(part, 'The service is temporarily unavailable; try again later');
    return {
      tasks: tasks ? { overdue: tasks.overdue, dueToday: tasks.due } : null,
      approvals: approvals ?? null,
      partnerApplications: partnerApplications ?? null,
      notifications: await countNotifications(tx, caller),
    };
  },
});

/** The time zone of the acting user: their own, or else that of the tenant. */
async function timezoneOf(tx: Tx, caller: Caller): Promise<string> {
  const own = await tx.userPreference.findFirst({ where: { userId: actingUserId(caller) ?? 0 } });
  return own?.timezone ?? (await readTenant(tx)).timezone;
}

/** Undefined stands for a part that is missing, null for one that the caller may not read. */
function unavailable(): undefined {
  return undefined;
}

/** Callers who may not read all leads see the approvals about the leads that they may read. */
async function countApprovals({ agents, crm }: Tools, caller: Caller): Promise<{ pending: number } | null> {
  const reach = reachOf(caller, 'leads:read');
  const counted = await agents.countPendingApprovals({
    body: { withLeads: reach !== 'all' },
    as: withPermissions(caller),
  });
  if (!counted || reach === 'all') return counted && { pending: counted.pending };
  const leadIds = [...new Set(counted.leadIds)];
  if (reach === 'none' || !leadIds.length) return { pending: 0 };
  const { ids } = await crm.filterLeads({ body: { ids: leadIds }, as: asService(caller, reach) });
  const readable = new Set(ids);
  return { pending: counted.leadIds.filter((id) => readable.has(id)).length };
}

async function countNotifications(tx: Tx, caller: Caller): Promise<{ unread: number } | null> {
  const userId = actingUserId(caller);
  if (userId === undefined || !allows(caller.permissions, 'notifications:read')) return null;
  return { unread: await tx.notification.count({ where: unreadOf(userId) }) };
}
