import type { timelines } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asActivity } from './activity.ts';
import { timelineEntries, timelineReach } from './timeline.ts';

export const getAccountTimeline: Handler<typeof timelines.getAccountTimeline> = async (context) => {
  const { params, query, caller, tx, list } = context;
  const { id } = params;
  if (!(await tx.account.count({ where: { id, deletedAt: null } }))) throw fail('not_found');
  const reach = timelineReach(caller);
  const page = await list({
    model: timelineEntries(tx, {
      of: fragment`timeline_account_id`,
      id,
      types: query.types?.split(','),
      caller,
      reach,
    }),
    // Identifies the timeline among those of the tenant, so that requests share its total.
    where: { timelineAccountId: id, types: query.types ?? null, can: caller.permissions, reach },
  });
  return { ...page, items: page.items.map(asActivity) };
};
