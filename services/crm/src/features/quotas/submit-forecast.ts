import { actingUserId, type Caller } from '@tandem/caller';
import { forecastSubmitted, type quotas } from '@tandem/crm-contract';
import { checkUser, failField, reachOf } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { openPeriod } from './open-period.ts';
import { minorOf } from './quota.ts';
import { asSubmission, sumsOfOwner } from './submission.ts';

type Found = { base: string; timezone: string; ownerId: number };

export const submitForecast = (peers: Peers): Handler<typeof quotas.submitForecast, Found> => ({
  async check({ body, caller }) {
    const ownerId = body.ownerId ?? actingUserId(caller);
    if (ownerId === undefined) throw failField('ownerId', 'Is required, because an API key owns no opportunities');
    checkOwn(caller, ownerId);
    if (body.ownerId !== undefined) await checkUser(peers, 'ownerId', body.ownerId, caller);
    const base = await peers.currencyOf(caller);
    minorOf(body.amount, body.currency ?? base);
    return { base, timezone: await peers.timezoneOf(caller), ownerId };
  },
  async run({ body, caller, tx, emit, found: { base, timezone, ownerId } }) {
    const { amount, currency = base, category, note = null } = body;
    const period = openPeriod(body.period, timezone);
    const { openValue, weightedValue, commit, bestCase, closedWon } = await sumsOfOwner(tx, {
      ownerId,
      period,
      base,
      currency,
    });
    const row = await tx.forecastSubmission.create({
      data: {
        period: period.name,
        ownerId,
        category,
        amountMinor: minorOf(amount, currency),
        currency,
        note,
        snapshot: { openValue, weightedValue, commit, bestCase, closedWon },
        createdBy: actingUserId(caller) ?? null,
      },
    });
    const submission = asSubmission(row, null);
    emit(forecastSubmitted, { data: { forecastSubmissionId: submission.id }, record: submission });
    return submission;
  },
});

/** Fails with a field error for a caller who cannot access all opportunities, and names somebody else. */
function checkOwn(caller: Caller, ownerId: number): void {
  if (reachOf(caller, 'opportunities:write') !== 'all' && ownerId !== actingUserId(caller))
    throw failField('ownerId', 'Must be your own id, because you cannot access all opportunities');
}
