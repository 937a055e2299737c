import type { quotas } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asQuota } from './quota.ts';

export const listQuotas: Handler<typeof quotas.listQuotas> = async ({ query, tx, list }) => {
  const { period, ownerId, teamId } = query;
  const page = await list({
    model: tx.quota,
    where: {
      ...(period && { period }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
    },
  });
  return { ...page, items: page.items.map(asQuota) };
};
