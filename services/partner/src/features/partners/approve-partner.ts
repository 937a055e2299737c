import { actingUserId } from '@tandem/caller';
import { partnerApproved, type partners } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { ensureCode } from '../referral-codes/make-code.ts';
import { recordChange } from '../tiers/change-tier.ts';
import { asPartner, checkPlan, lockPartner, wrongTransition } from './partner.ts';

export const approvePartner: Handler<typeof partners.approvePartner> = async (context) => {
  const { params, body, caller, tx, emit, ifMatch } = context;
  const partner = await lockPartner(tx, params.id);
  ifMatch(partner);
  // A suspended partner can become approved only by reactivation.
  if (partner.status !== 'pending') throw wrongTransition(partner);
  const { tier = partner.tier, planId = partner.planId } = body;
  await checkPlan(tx, body.planId);
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partner.id },
    data: { status: 'approved', tier, planId, approvedAt: new Date(), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  await ensureCode(tx, partner.id);
  const approved = asPartner(row);
  emit(partnerApproved, {
    data: { partnerId: partner.id },
    record: approved,
    changes: { status: { from: partner.status, to: approved.status } },
  });
  const change = { from: partner.tier, cause: 'approval', createdBy: actingUserId(caller) ?? null } as const;
  if (tier !== partner.tier) await recordChange({ tx, emit }, approved, change);
  return approved;
};
