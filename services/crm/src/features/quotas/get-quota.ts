import type { quotas } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asQuota } from './quota.ts';

export const getQuota: Handler<typeof quotas.getQuota> = async ({ params, tx }) => {
  const row = await tx.quota.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asQuota(row);
};
