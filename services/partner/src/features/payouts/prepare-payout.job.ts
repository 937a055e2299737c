import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { changePayout } from './payout.ts';
import { preparePayoutJob } from './payout-jobs.ts';
import { unpayable } from './unpayable.ts';

const partnersAtOnce = 200;
// Bounds the rows of a portion: a partner with more is paid by several payouts.
const commissionsAtOnce = 10_000;

/**
 * Collects the commissions of a payout, partner by partner in the order of their ids. Each portion is one transaction, which
 * stores how far it came: a run after a crash goes on from there.
 */
export const preparePayout = job({
  ...preparePayoutJob,
  async run({ payload: { payoutId }, finish }: JobContext<z.output<typeof preparePayoutJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const payout = await tx.payout.lockFirst({ where: { id: payoutId }, sharesKey: true });
      // A cancelled payout needs no more commissions.
      if (payout?.status !== 'draft' || payout.preparedAt) return;
      const partnerIds = await nextPartners(tx, payout);
      const last = partnerIds.at(-1);
      if (last === undefined) {
        await changePayout(tx, payoutId, { preparedAt: new Date() });
        return;
      }
      const { amount, items, commissions, carried } = await claim(tx, payout, partnerIds);
      await changePayout(tx, payoutId, {
        preparedThrough: last,
        amountMinor: { increment: amount },
        itemCount: { increment: items },
        commissionCount: { increment: commissions },
        carriedCount: { increment: carried },
      });
      return new Date();
    });
  },
  /** Without another one, the payout would never end. */
  giveUp: scheduleAgain(preparePayoutJob),
});

/** The next partners with approved commissions who can be paid, so many that the portion is bounded. */
async function nextPartners(
  tx: Tx,
  { currency, periodEnd, preparedThrough, partnerIds }: PayoutRow,
): Promise<number[]> {
  const rows = await tx.sql<{ id: number; count: number }>`
    SELECT partner_id AS id, count(*) AS count FROM commission
    WHERE status = 'approved' AND payout_id IS NULL AND currency = ${currency} AND (created_at < ${periodEnd} OR amount_minor < 0)
      AND partner_id > ${preparedThrough}
      AND partner_id NOT IN (SELECT id FROM partner WHERE ${unpayable}) AND (${!partnerIds.length} OR partner_id = ANY(${partnerIds}::bigint[]))
    GROUP BY partner_id ORDER BY partner_id LIMIT ${partnersAtOnce}`;
  const portion: number[] = [];
  let commissions = 0;
  for (const { id, count } of rows) {
    commissions += count;
    if (portion.length && commissions > commissionsAtOnce) break;
    portion.push(id);
  }
  return portion;
}

interface Claimed {
  amount: number;
  items: number;
  commissions: number;
  carried: number;
}

/** Below the time after which the database looks for deadlocks, 1 s. */
const lockWaitMs = 400;

/**
 * Adds the commissions of partners to the payout, negative ones of any time first, unless their sum is negative or below the
 * minimum. The rows are locked before they are summed, so that two payouts never take the same one. Others lock commissions in
 * the order of ids, which takes half as long again here. So this waits only shortly, and lets a request that waits for it go
 * first; the job is repeated.
 */
async function claim(tx: Tx, payout: PayoutRow, partnerIds: number[]): Promise<Claimed> {
  const { id, currency, periodEnd, minMinor } = payout;
  await tx.sql`SELECT set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`;
  const [claimed] = await tx.sql<Claimed>`
    WITH locked AS MATERIALIZED (
      SELECT id, partner_id, amount_minor FROM commission
      WHERE status = 'approved' AND payout_id IS NULL AND currency = ${currency} AND (created_at < ${periodEnd} OR amount_minor < 0)
        AND partner_id = ANY(${partnerIds}::bigint[])
      ORDER BY partner_id, amount_minor > 0, id LIMIT ${commissionsAtOnce} FOR NO KEY UPDATE),
    sum AS (
      SELECT partner_id, sum(amount_minor)::bigint AS amount, count(*)::int AS commissions FROM locked GROUP BY partner_id),
    payable AS (SELECT * FROM sum WHERE amount > 0 AND amount >= ${minMinor}),
    claimed AS (
      UPDATE commission SET payout_id = ${id} FROM locked JOIN payable ON payable.partner_id = locked.partner_id
      WHERE commission.id = locked.id),
    item AS (
      INSERT INTO payout_item (payout_id, partner_id, amount_minor, commission_count)
      SELECT ${id}, partner_id, amount, commissions FROM payable ORDER BY partner_id)
    SELECT coalesce(sum(amount) FILTER (WHERE is_payable), 0)::bigint AS amount,
      count(*) FILTER (WHERE is_payable) AS items,
      coalesce(sum(commissions) FILTER (WHERE is_payable), 0)::bigint AS commissions,
      count(*) FILTER (WHERE NOT is_payable) AS carried
    FROM (SELECT *, amount > 0 AND amount >= ${minMinor} AS is_payable FROM sum) AS partner`;
  return claimed as Claimed;
}
