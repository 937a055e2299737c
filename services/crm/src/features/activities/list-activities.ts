import type { activities } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asActivity } from './activity.ts';

export const listActivities: Handler<typeof activities.listActivities> = async ({ query, tx, list }) => {
  const { type, system, userId, leadId, opportunityId, accountId, partnerId, occurredFrom, occurredTo } = query;
  const page = await list({
    model: tx.activity,
    where: {
      ...(type && { type }),
      ...(system !== undefined && { system }),
      ...(userId !== undefined && { userId }),
      ...(leadId !== undefined && { leadId }),
      ...(opportunityId !== undefined && { opportunityId }),
      ...(accountId !== undefined && { accountId }),
      ...(partnerId !== undefined && { partnerId }),
    },
    and: [
      ...(occurredFrom ? [{ occurredAt: { gte: occurredFrom } }] : []),
      ...(occurredTo ? [{ occurredAt: { lte: occurredTo } }] : []),
    ],
  });
  return { ...page, items: page.items.map(asActivity) };
};
