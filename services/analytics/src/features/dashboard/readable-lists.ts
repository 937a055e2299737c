import { engagement } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { neededPermissions, type Operation } from '@tandem/contract';
import { leads, opportunities, tasks } from '@tandem/crm-contract';
import { commissions, partners } from '@tandem/partner-contract';
import { reachOf } from '@tandem/service';

interface List {
  path: string;
  query: { assignedTo?: unknown; ownerId?: unknown; teamId?: unknown };
}

const rows: readonly Operation[] = [
  leads.listLeads,
  opportunities.listOpportunities,
  tasks.listTasks,
  partners.listPartners,
  commissions.listCommissions,
  engagement.listRecordedEvents,
];
const rowOf = new Map(rows.map((row) => [row.path, row]));

/** The lists that a caller can read in full. Numbers count all records, so a list of some of them has another total. */
export function readableLists<Named extends List>(lists: readonly Named[], caller: Caller): Named[] {
  return lists.filter((list) => isReadable(list, caller));
}

function isReadable({ path, query }: List, caller: Caller): boolean {
  const row = rowOf.get(path);
  if (!row) return false;
  return neededPermissions(row).every((permission) => {
    const reach = reachOf(caller, permission);
    if (reach === 'all' || reach === 'none') return reach === 'all';
    // Narrowed callers read all records that are assigned to them, or that belong to their teams.
    if (!row.narrows) return false;
    const { assignedTo, ownerId, teamId } = query;
    const isOwn = (assignedTo ?? ownerId) === reach.userId;
    return isOwn || Boolean(reach.teamIds?.some((id) => id === teamId));
  });
}
