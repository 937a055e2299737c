import { actingUserId } from '@tandem/caller';
import { fromMinor, misfit, toMinor, unknownId } from '@tandem/contract';
import type { commissions } from '@tandem/partner-contract';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type Plan, readPlanById } from '../commission-plans/plan.ts';
import { asCommission, insertCommissions } from './commission.ts';
import { holdUntil } from './commission-of-sale.ts';
import { emitEarned } from './emit-earned.ts';

type Body = z.output<typeof commissions.createCommission.body>;
/** The fields that must be equal when an externalId is repeated. */
type Wanted = Pick<CommissionRow, 'partnerId' | 'amountMinor' | 'type' | 'currency' | 'opportunityId' | 'planId'>;

export const createCommission = ({ peers }: Tools): Handler<typeof commissions.createCommission> => ({
  async check({ body: { opportunityId }, caller }) {
    if (!opportunityId) return;
    const as = asService(caller, reachOf(caller, 'opportunities:read'));
    const { ids } = await peers.crm.filterOpportunities({ body: { ids: [opportunityId] }, as });
    if (!ids.length) throw failField('opportunityId', unknownId('opportunity'));
  },
  async run({ params, body, caller, tx, emit, wasThere }) {
    const { amount, currency, description: reason, opportunityId = null, planId = null, externalId = null } = body;
    const wrong = misfit(amount, currency);
    if (wrong) throw failField('amount', wrong);
    const type = typeOf(body);
    await checkPayable(tx, params.id, { type, amount });
    const amountMinor = toMinor(amount, currency);
    const wanted = { partnerId: params.id, amountMinor, type, currency, opportunityId, planId };
    const existing = await findByExternalId(tx, externalId, wanted);
    if (existing) {
      wasThere();
      return asCommission(existing);
    }
    const plan = await planOf(tx, body);
    const [row] = await insertCommissions(tx, [
      {
        ...wanted,
        reason,
        externalId,
        // Apart from what the deal itself earned, which a reopening takes back.
        dealVersion: -1,
        planVersion: plan?.planVersion ?? null,
        holdUntil: holdUntil(plan),
        createdBy: actingUserId(caller) ?? null,
      },
    ]);
    if (row) {
      const record = asCommission(row);
      emitEarned(emit, [record]);
      return record;
    }
    // A concurrent request recorded the externalId, or one before recorded the opportunity.
    const concurrent = await findByExternalId(tx, externalId, wanted);
    if (!concurrent)
      throw fail('already_recorded', [{ field: 'opportunityId', message: `Has a commission of the type ${type}` }]);
    wasThere();
    return asCommission(concurrent);
  },
});

function typeOf({ type, amount }: Body): 'bonus' | 'adjustment' {
  if (type === 'bonus' && amount < 0) throw failField('amount', 'Must be greater than 0 for a bonus');
  return type ?? (amount > 0 ? 'bonus' : 'adjustment');
}

/** Locks the partner against changes of its status. */
async function checkPayable(tx: Tx, id: number, { type, amount }: { type: string; amount: number }): Promise<void> {
  const [partner] = await tx.sql<{ status: string; unpaid: string | null }>`
    SELECT status, unpaid FROM partner WHERE id = ${id} FOR SHARE`;
  if (!partner) throw fail('not_found');
  const { status } = partner;
  if (partner.unpaid === 'forfeit' && amount > 0)
    throw fail('partner_not_payable', [
      { field: 'status', message: 'The partner has forfeited its commissions; it can have negative adjustments only' },
    ]);
  if (['approved', 'suspended'].includes(status) || (status === 'terminated' && type === 'adjustment')) return;
  throw fail('partner_not_payable', [
    {
      field: 'status',
      message: `The partner is ${status}; it can have ${status === 'terminated' ? 'adjustments only' : 'commissions once it is approved'}`,
    },
  ]);
}

/**
 * The commission that an earlier request recorded with the externalId.
 * @throws 409 if it has something else than this request: a reply with it would look as if this one was recorded
 */
async function findByExternalId(tx: Tx, externalId: string | null, wanted: Wanted): Promise<CommissionRow | null> {
  const found = externalId ? await tx.commission.findFirst({ where: { externalId } }) : null;
  if (!found || Object.entries(wanted).every(([name, value]) => found[name as keyof Wanted] === value)) return found;
  throw fail('external_id_taken', [{ field: 'externalId', message: 'Belongs to another commission; send a new one' }]);
}

async function planOf(tx: Tx, { planId, amount, currency }: Body): Promise<Plan | undefined> {
  if (!planId) return undefined;
  const plan = await readPlanById(tx, planId);
  if (!plan) throw failField('planId', unknownId('commission_plan'));
  if (plan.status !== 'active' || plan.trigger !== 'manual')
    throw failField('planId', 'Must be the id of an active plan with the trigger manual');
  const { cap } = plan.terms;
  if (cap && (cap.currency !== currency || toMinor(Math.abs(amount), currency) > toMinor(cap.amount, cap.currency)))
    throw failField(
      'amount',
      `Must be at most ${fromMinor(toMinor(cap.amount, cap.currency), cap.currency)} ${cap.currency}, the cap of the plan`,
    );
  return plan;
}
