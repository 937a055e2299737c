import { id } from '@tandem/contract';
import { type Inside, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { type InPayout, lockWithPayout } from '../payouts/leave-payout.ts';
import { approve } from './approve-commission.ts';
import { cancel } from './cancel-commission.ts';
import { isDeducted } from './commission.ts';
import { hold } from './hold-commission.ts';
import { release } from './release-commission.ts';

/** What happens to the unpaid commissions of a partner whose status changes. */
const effects = z.enum(['hold', 'release', 'pay', 'forfeit']);

/** Changes the commissions of a partner after its suspension, reactivation or termination, portion by portion. */
export const followPartnerJob = {
  name: 'change-commissions-of-partner',
  payload: z.object({ partnerId: id('partner'), effect: effects, after: z.int() }),
};

type Effect = z.output<typeof effects>;

const portion = 200;

/** The status in which the partner must still be, and the commissions that the effect concerns. */
const rules: Record<Effect, { status: string; where: object }> = {
  hold: { status: 'suspended', where: { status: { in: ['pending', 'approved'] } } },
  release: { status: 'approved', where: { status: 'on_hold', heldBy: 'suspension' } },
  // What a person or the cap of a plan has put on hold stays so.
  pay: { status: 'terminated', where: { OR: [{ status: 'pending' }, { status: 'on_hold', heldBy: 'suspension' }] } },
  forfeit: { status: 'terminated', where: { status: { in: ['pending', 'on_hold', 'approved'] } } },
};

export const followPartner = job({
  ...followPartnerJob,
  rests: true,
  async run({
    payload: { partnerId, effect, after },
    finish,
  }: JobContext<z.output<typeof followPartnerJob.payload>, Tx>) {
    const { status, where } = rules[effect];
    await finish(async (inside) => {
      const partner = await inside.tx.partner.findFirst({ where: { id: partnerId }, select: { status: true } });
      // Another change of the status has followed, with an effect of its own.
      if (partner?.status !== status) return;
      const commissions = await inside.tx.commission.findMany({
        where: { AND: [{ partnerId, id: { gt: after } }, where] },
        orderBy: { id: 'asc' },
        take: portion,
        select: { id: true },
      });
      for (const commission of commissions) await apply(inside, effect, commission.id);
      const last = commissions.at(-1);
      if (last && commissions.length === portion)
        await inside.schedule(followPartnerJob, [{ partnerId, effect, after: last.id }]);
    });
  },
});

async function apply({ tx, emit, schedule }: Inside<Tx>, effect: Effect, commissionId: number): Promise<void> {
  const found = await lockWithPayout(tx, commissionId);
  // The payment is on its way; the commission is paid, or fails and can be changed by a person.
  if (isBeingPaid(found)) return;
  const { commission } = found;
  if (effect === 'hold') await hold({ tx, emit }, found, { reason: 'The partner is suspended', heldBy: 'suspension' });
  else if (effect === 'forfeit') {
    // A clawback that is not deducted yet is cancelled too.
    if (!(await isDeducted(tx, commission))) await cancel({ tx, emit }, found, { reason: 'The partner is terminated' });
  } else {
    if (commission.status === 'on_hold') await release({ tx, emit, schedule }, commission);
    if (effect === 'pay') await approve({ tx, emit }, { ...commission, status: 'pending' }, { force: true });
  }
}

function isBeingPaid({ payout }: InPayout): boolean {
  return payout?.status === 'processing' || payout?.status === 'failed';
}
