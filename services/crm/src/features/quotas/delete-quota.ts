import { quotaDeleted, type quotas } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { lockQuota } from './quota.ts';

export const deleteQuota: Handler<typeof quotas.deleteQuota> = async ({ params, tx, emit, ifMatch }) => {
  const quota = await lockQuota(tx, params.id);
  ifMatch(quota);
  await tx.quota.deleteMany({ where: { id: quota.id } });
  emit(quotaDeleted, { data: { quotaId: quota.id }, record: quota });
  return { id: quota.id, deleted: true };
};
