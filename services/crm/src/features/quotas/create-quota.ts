import { actingUserId } from '@tandem/caller';
import { idInText } from '@tandem/contract';
import { quotaCreated, type quotas } from '@tandem/crm-contract';
import { checkUser, fail, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { openPeriod } from './open-period.ts';
import { asQuota, minorOf, type QuotaRecord } from './quota.ts';

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
    const other = await tx.quota.findFirst({ where: { period, ownerId, teamId } });
    if (other) throw quotaTaken(other);
    const data = { period, ownerId, teamId, currency, amountMinor: minorOf(amount, currency) };
    const quota = asQuota(await tx.quota.create({ data: { ...data, createdBy: actingUserId(caller) ?? null } }));
    emit(quotaCreated, { data: { quotaId: quota.id }, record: quota });
    return quota;
  },
});

function quotaTaken({ id, period, ownerId, teamId }: Pick<QuotaRecord, 'id' | 'period' | 'ownerId' | 'teamId'>) {
  const [field, holder] = holderOf(ownerId, teamId);
  const message = `${holder} has the quota ${idInText('quota', id)} for ${period}; change that one`;
  return fail('quota_taken', [{ field, message }]);
}

function holderOf(ownerId: number | null, teamId: number | null): [field: string, holder: string] {
  if (ownerId !== null) return ['ownerId', 'The owner'];
  return teamId === null ? ['period', 'The tenant'] : ['teamId', 'The team'];
}
