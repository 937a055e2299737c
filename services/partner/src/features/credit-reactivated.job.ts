import { id } from '@tandem/contract';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../handler.ts';
import { creditWaiting } from './credit-partners.ts';
import { lockLeads } from './referrals/lock-leads.ts';

/** Records the commissions of sales that a partner made while it was suspended, portion by portion. */
export const creditReactivatedJob = {
  name: 'credit-reactivated-partner',
  payload: z.object({ partnerId: id('partner'), after: z.int() }),
};

const portion = 100;

export const creditReactivated = job({
  ...creditReactivatedJob,
  rests: true,
  async run({ payload: { partnerId, after }, finish }: JobContext<z.output<typeof creditReactivatedJob.payload>, Tx>) {
    await finish(async ({ tx, emit, schedule }) => {
      const partner = await tx.partner.findFirst({ where: { id: partnerId }, select: { status: true } });
      if (partner?.status !== 'approved') return;
      const referrals = await tx.sql<{ id: number; leadId: number }>`
        SELECT id, lead_id AS "leadId" FROM referral
        WHERE partner_id = ${partnerId} AND status = 'attributed' AND id > ${after} AND (
          EXISTS (SELECT FROM uncredited_deal AS deal WHERE deal.lead_id = referral.lead_id)
          OR EXISTS (SELECT FROM qualified_lead AS lead WHERE lead.lead_id = referral.lead_id))
        ORDER BY id LIMIT ${portion}`;
      const leadIds = referrals.map(({ leadId }) => leadId);
      await lockLeads(tx, leadIds);
      await creditWaiting(leadIds, { tx, emit, schedule });
      const last = referrals.at(-1);
      if (last && referrals.length === portion) await schedule(creditReactivatedJob, [{ partnerId, after: last.id }]);
    });
  },
  /** Without another one, the sales would expire. */
  giveUp: scheduleAgain(creditReactivatedJob),
});
