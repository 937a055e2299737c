import { actingUserId } from '@tandem/caller';
import { quotaCreated, type quotas } from '@tandem/crm-contract';
import { checkUser, fail, failField } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { lockNamed } from '../../lock-named.ts';
import { openPeriod } from './open-period.ts';
import { asQuota, minorOf } from './quota.ts';

export const createQuota = (
  peers: Peers,
): Handler<typeof quotas.createQuota, { currency: string; timezone: string }> => ({
  async check({ body, caller }) {
    const { ownerId, teamId, amount } = body;
    if (typeof ownerId === 'number' && typeof teamId === 'number')
      throw failField('teamId', 'A quota belongs to an owner or to a team; omit one of them');
    await checkUser(peers, 'ownerId', ownerId, caller);
    await checkTeam(peers, teamId, caller);
    const currency = body.currency ?? (await peers.currencyOf(caller));
    minorOf(amount, currency);
    return { currency, timezone: await peers.timezoneOf(caller) };
  },
  async run({ body, caller, tx, emit, found: { currency, timezone } }) {
    const { period, ownerId = null, teamId = null, amount } = body;
    openPeriod(period, timezone);
    await lockNamed(tx, 'quota', [period]);
    if (await tx.quota.count({ where: { period, ownerId, teamId } })) throw fail('quota_taken');
    const data = { period, ownerId, teamId, currency, amountMinor: minorOf(amount, currency) };
    const quota = asQuota(await tx.quota.create({ data: { ...data, createdBy: actingUserId(caller) ?? null } }));
    emit(quotaCreated, { data: { quotaId: quota.id }, record: quota });
    return quota;
  },
});
