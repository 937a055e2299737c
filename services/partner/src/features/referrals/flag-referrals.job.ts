import { id, mailboxOf } from '@tandem/contract';
import { type Inside, type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { referralFlagged } from '@tandem/partner-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { mailboxesSharing, partnersSharing } from '../payout-accounts/shared-account.ts';
import { holdFlagged } from './flagged-commissions.ts';
import { lockLeads } from './lock-leads.ts';
import { asReferral, lockReferral, notCleared, writeReferral } from './referral.ts';

/** Flags referrals between a partner and others who are paid to the account that it has set. */
export const flagReferralsJob = {
  name: 'flag-referrals',
  payload: z.object({ partnerId: id('partner'), after: z.int() }),
};

type Payload = z.output<typeof flagReferralsJob.payload>;

/** As many leads as crm returns at once. */
const portion = 250;

export const flagReferrals = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...flagReferralsJob,
    async run({ payload: { partnerId, after }, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const sharing = await partnersSharing(tx, partnerId);
      // A referral that a person has cleared stays so.
      const referrals = await tx.referral.findMany({
        where: {
          AND: [notCleared('same_account')],
          partnerId: { in: sharing },
          status: 'attributed',
          id: { gt: after },
        },
        orderBy: { id: 'asc' },
        take: portion,
        select: { id: true, leadId: true, partnerId: true },
      });
      if (!referrals.length) return;
      const mailboxes = await mailboxesSharing(tx, sharing);
      const as = { ...scope, requestId: `flag_referrals_${partnerId}` };
      const ids = referrals.map(({ leadId }) => leadId);
      const leads = await outside(() => peers.crm.findLeads({ body: { ids }, as }));
      const emails = new Map(leads.map(({ id: leadId, email }) => [leadId, email]));
      const own = referrals.filter(({ leadId, partnerId: referrer }) => {
        const email = emails.get(leadId);
        return email !== undefined && mailboxes.get(referrer)?.has(mailboxOf(email));
      });
      await finish(async (inside) => {
        // All at once, so that two transactions cannot wait for each other.
        await lockLeads(
          inside.tx,
          own.map(({ leadId }) => leadId),
        );
        for (const referral of own) await flag(inside, referral.id);
        const last = referrals.at(-1);
        if (last && referrals.length === portion)
          await inside.schedule(flagReferralsJob, [{ partnerId, after: last.id }]);
      });
    },
    /** Without another one, a partner could refer itself. */
    giveUp: scheduleAgain(flagReferralsJob),
  });

/** Flags a referral, and puts its unpaid commissions on hold; its next deals wait until it is cleared. */
async function flag({ tx, emit, schedule }: Inside<Tx>, referralId: number): Promise<void> {
  const row = await lockReferral(tx, referralId);
  const before = asReferral(row);
  if (before.status !== 'attributed') return;
  await holdFlagged({ tx, emit, schedule }, row);
  const after = asReferral(await writeReferral(tx, row.id, { status: 'flagged', flagReason: 'same_account' }));
  const { partnerId, leadId } = after;
  emit(referralFlagged, {
    data: { referralId, partnerId, leadId },
    record: after,
    changes: { status: { from: before.status, to: after.status } },
  });
}
