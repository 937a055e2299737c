import type { Caller } from '@tandem/caller';
import { asService, reachOf } from '@tandem/service';
import type { Peers } from '../../handler.ts';

/** Which of the leads the caller may read. crm knows whose they are. */
export async function visibleLeads({ crm }: Peers, leadIds: number[], caller: Caller): Promise<number[]> {
  const reach = reachOf(caller, 'leads:read');
  if (reach === 'all' || !leadIds.length) return leadIds;
  return (await crm.filterLeads({ body: { ids: leadIds }, as: asService(caller, reach) })).ids;
}
