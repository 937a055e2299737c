import { quotaDeleted, type quotas } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { openPeriod } from './open-period.ts';
import { lockQuota } from './quota.ts';

export const deleteQuota = (peers: Peers): Handler<typeof quotas.deleteQuota, string> => ({
  check: ({ caller }) => peers.timezoneOf(caller),
  async run({ params, tx, emit, ifMatch, found: timezone }) {
    const quota = await lockQuota(tx, params.id);
    ifMatch(quota);
    openPeriod(quota.period, timezone);
    await tx.quota.deleteMany({ where: { id: quota.id } });
    emit(quotaDeleted, { data: { quotaId: quota.id }, record: quota });
    return { id: quota.id, deleted: true };
  },
});
