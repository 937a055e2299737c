import type { timelines } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asActivity } from './activity.ts';
import { timelineEntries, timelineReach } from './timeline.ts';

export const getLeadTimeline: Handler<typeof timelines.getLeadTimeline> = async (context) => {
  const { params, query, caller, tx, list } = context;
  const { id } = params;
  if (!(await tx.lead.count({ where: { id, deletedAt: null } }))) throw fail('not_found');
  // The caller can read this lead, so entries need not be checked for it.
  const reach = { ...timelineReach(caller), leads: 'all' as const };
  const page = await list({
    model: timelineEntries(tx, { of: fragment`lead_id`, id, types: query.types?.split(','), caller, reach }),
    // Identifies the timeline among those of the tenant, so that requests share its total.
    where: { leadId: id, types: query.types ?? null, can: caller.permissions, reach },
  });
  return { ...page, items: page.items.map(asActivity) };
};
