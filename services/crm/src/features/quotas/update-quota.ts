import { type quotas, quotaUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { openPeriod } from './open-period.ts';
import { asQuota, lockQuota, minorOf } from './quota.ts';

export const updateQuota = (peers: Peers): Handler<typeof quotas.updateQuota, string> => ({
  check: ({ caller }) => peers.timezoneOf(caller),
  async run({ params, body, tx, emit, ifMatch, found: timezone }) {
    const quota = await lockQuota(tx, params.id);
    ifMatch(quota);
    const { isEmpty, audit } = diff(quota, body);
    const { amount, currency } = { ...quota, ...body };
    const amountMinor = minorOf(amount, currency);
    if (isEmpty) return quota;
    openPeriod(quota.period, timezone);
    const [row] = await tx.quota.updateManyAndReturn({
      where: { id: quota.id },
      data: { amountMinor, currency, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    const updated = asQuota(row);
    emit(quotaUpdated, { data: { quotaId: quota.id }, record: updated, changes: audit });
    return updated;
  },
});
