import { id } from '@tandem/contract';
import { type Inside, type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { referralFlagged } from '@tandem/partner-contract';
import { currentLeads } from '@tandem/service';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { keepUncredited } from '../commissions/uncredited-deals.ts';
import { isPaidFor, takeDeals } from '../referrals/deals-of-referral.ts';
import { lockLeads } from '../referrals/lock-leads.ts';
import { asReferral, lockReferral, writeReferral } from '../referrals/referral.ts';

/** Flags referrals between a partner and others who are paid to the account that it has set. */
export const flagReferralsJob = { name: 'flag-referrals', payload: z.object({ partnerId: id('partner') }) };

type Payload = z.output<typeof flagReferralsJob.payload>;

/** Bounds the requests to crm. More partners than that do not share an account by chance. */
const addressesMax = 100;

export const flagReferrals = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...flagReferralsJob,
    async run({ payload: { partnerId }, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const people = await sharing(tx, partnerId);
      if (!people.length) return;
      const as = { ...scope, requestId: `flag_referrals_${partnerId}` };
      const found = await outside(async () => {
        const leads: { leadId: number; personOf: number }[] = [];
        for (const { email, personOf } of people)
          for (const lead of await peers.crm.findLeadsByEmail({ body: { email }, as }))
            leads.push({ leadId: lead.id, personOf });
        return leads;
      });
      await finish(async (inside) => {
        const partnerIds = [...new Set(people.map(({ personOf }) => personOf))];
        const current = await currentLeads(
          inside.tx,
          found.map(({ leadId }) => leadId),
        );
        const leadIds = found.map(({ leadId }) => current.get(leadId) ?? leadId);
        // All at once, so that two transactions cannot wait for each other.
        await lockLeads(inside.tx, leadIds);
        const referrals = await inside.tx.referral.findMany({
          where: {
            leadId: { in: leadIds },
            partnerId: { in: partnerIds },
            status: 'attributed',
          },
          orderBy: { leadId: 'asc' },
          select: { id: true },
        });
        for (const referral of referrals) await flag(inside, referral.id);
      });
    },
    /** Without another one, a partner could refer itself. */
    giveUp: scheduleAgain(flagReferralsJob),
  });

interface Somebody {
  email: string;
  /** The partner who has this address, or whose portal user has it. */
  personOf: number;
}

/** The addresses of a partner and of those with the same account; none if there is no other. */
async function sharing(tx: Tx, partnerId: number): Promise<Somebody[]> {
  return tx.sql<Somebody>`
    WITH sharing AS (
      SELECT other.partner_id AS id FROM payout_account AS own
      JOIN payout_account AS other ON other.fingerprint = own.fingerprint AND other.replaced_at IS NULL
      WHERE own.partner_id = ${partnerId} AND own.replaced_at IS NULL)
    SELECT email, "personOf" FROM (
      SELECT email, id AS "personOf" FROM partner UNION SELECT email, partner_id FROM portal_user) AS person
    WHERE "personOf" IN (SELECT id FROM sharing) AND (SELECT count(*) FROM sharing) > 1
    ORDER BY "personOf", email LIMIT ${addressesMax}`;
}

/** Flags a referral; its deals wait until it is cleared. What is paid already stays for a person to decide. */
async function flag({ tx, emit, schedule }: Inside<Tx>, referralId: number): Promise<void> {
  const row = await lockReferral(tx, referralId);
  const before = asReferral(row);
  if (before.status !== 'attributed') return;
  const isPaid = await isPaidFor(tx, row);
  if (!isPaid)
    await keepUncredited(tx, await takeDeals({ tx, emit, schedule }, row, 'The lead has the same payout account'));
  const flagged = {
    status: 'flagged',
    flagReason: 'same_account',
    // The deals earn once more after a clearance.
    ...(!isPaid && { moves: { increment: 1 } }),
  };
  const after = asReferral(await writeReferral(tx, row.id, flagged));
  const { partnerId, leadId } = after;
  emit(referralFlagged, {
    data: { referralId, partnerId, leadId },
    record: after,
    changes: { status: { from: before.status, to: after.status } },
  });
}
