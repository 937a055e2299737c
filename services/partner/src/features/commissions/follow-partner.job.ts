import { id } from '@tandem/contract';
import { type Inside, type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { approve } from './approve-commission.ts';
import { cancel } from './cancel-commission.ts';
import { isDeducted } from './commission.ts';
import { hold } from './hold-commission.ts';
import { type LockedCommission, lockCommissions, reread } from './lock-commissions.ts';
import { release } from './release-commission.ts';

/** The effects of a partner's new status on its unpaid commissions. */
const effects = z.enum(['hold', 'release', 'pay', 'forfeit']);

/** Changes the commissions of a partner after its suspension, reactivation or termination, portion by portion. */
export const followPartnerJob = {
  name: 'change-commissions-of-partner',
  payload: z.object({
    partnerId: id('partner'),
    effect: effects,
    after: z.int(),
    /** Whether a portion before had commissions that were being paid. */
    isPaying: z.boolean().optional(),
  }),
};

type Effect = z.output<typeof effects>;

const portion = 200;
const againAfterMs = 300_000;

/** The status in which the partner must still be, and the commissions that the effect concerns. */
const rules: Record<Effect, { status: string; where: object }> = {
  // Clawbacks and other entries that refer to a commission stay approved, so that they are deducted.
  hold: { status: 'suspended', where: { status: { in: ['pending', 'approved'] }, originalCommissionId: null } },
  release: { status: 'approved', where: { status: 'on_hold', heldBy: 'suspension' } },
  // Commissions that a person or the cap of a plan has put on hold stay so.
  pay: { status: 'terminated', where: { OR: [{ status: 'pending' }, { status: 'on_hold', heldBy: 'suspension' }] } },
  forfeit: { status: 'terminated', where: { status: { in: ['pending', 'on_hold', 'approved'] } } },
};

export const followPartner = job({
  ...followPartnerJob,
  rests: true,
  async run({
    payload: { partnerId, effect, after, isPaying = false },
    finish,
  }: JobContext<z.output<typeof followPartnerJob.payload>, Tx>) {
    const { status, where } = rules[effect];
    await finish(async (inside) => {
      // Locked, so that the next change of the status, and its effect, follow this one.
      const [partner] = await inside.tx.sql<{ status: string }>`
        SELECT status FROM partner WHERE id = ${partnerId} FOR SHARE`;
      // Another change of the status has followed, with an effect of its own.
      if (partner?.status !== status) return;
      const commissions = await inside.tx.commission.findMany({
        where: { AND: [{ partnerId, id: { gt: after } }, where] },
        orderBy: { id: 'asc' },
        take: portion,
        select: { id: true },
      });
      const ids = commissions.map(({ id }) => id);
      let skips = isPaying;
      for (const locked of await lockCommissions(inside.tx, ids)) {
        // The payment can still fail.
        if (locked.isBeingPaid) skips = true;
        else await apply(inside, effect, locked);
      }
      const last = commissions.at(-1);
      if (last && commissions.length === portion)
        await inside.schedule(followPartnerJob, [{ partnerId, effect, after: last.id, isPaying: skips }]);
      else if (skips)
        await inside.schedule(followPartnerJob, [{ partnerId, effect, after: 0 }], new Date(Date.now() + againAfterMs));
    });
  },
  /** Without another one, a suspended partner would be paid. */
  giveUp: scheduleAgain(followPartnerJob),
});

async function apply({ tx, emit, schedule }: Inside<Tx>, effect: Effect, locked: LockedCommission): Promise<void> {
  const found = await reread(tx, locked);
  const { commission } = found;
  // A person may have changed it before it was locked.
  const { status, heldBy } = commission;
  const isSuspended = status === 'on_hold' && heldBy === 'suspension';
  const isOpen = status === 'pending' || status === 'approved';
  if (effect === 'hold' && isOpen)
    await hold({ tx, emit }, found, { reason: 'The partner is suspended', heldBy: 'suspension' });
  else if (effect === 'forfeit' && (isOpen || status === 'on_hold')) {
    if (await isForfeited(tx, commission)) await cancel({ tx, emit }, found, { reason: 'The partner is terminated' });
  } else if (effect === 'release' && isSuspended) await release({ tx, emit, schedule }, commission);
  else if (effect === 'pay' && (isSuspended || status === 'pending')) {
    if (isSuspended) await release({ tx, emit, schedule }, commission);
    await approve({ tx, emit }, { ...commission, status: 'pending' }, { force: true });
  }
}

/** Entries that take back a paid commission are debts, and stay. Those that refer to an unpaid one are cancelled with it. */
async function isForfeited(tx: Tx, commission: CommissionRow): Promise<boolean> {
  const { originalCommissionId } = commission;
  if (originalCommissionId === null) return !(await isDeducted(tx, commission));
  const original = await tx.commission.findFirst({ where: { id: originalCommissionId }, select: { status: true } });
  return original?.status !== 'paid' && !(await isDeducted(tx, commission));
}
