import { type quotas, quotaUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asQuota, lockQuota, minorOf } from './quota.ts';

export const updateQuota: Handler<typeof quotas.updateQuota> = async ({ params, body, tx, emit, ifMatch }) => {
  const quota = await lockQuota(tx, params.id);
  ifMatch(quota);
  const { isEmpty, audit } = diff(quota, body);
  const { amount, currency } = { ...quota, ...body };
  const amountMinor = minorOf(amount, currency);
  if (isEmpty) return quota;
  const [row] = await tx.quota.updateManyAndReturn({
    where: { id: quota.id },
    data: { amountMinor, currency, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const updated = asQuota(row);
  emit(quotaUpdated, { data: { quotaId: quota.id }, record: updated, changes: audit });
  return updated;
};
