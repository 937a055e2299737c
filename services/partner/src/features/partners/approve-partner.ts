import { actingUserId } from '@tandem/caller';
import { partnerApproved, type partners } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { inviteOwner } from '../portal-users/invite-owner.ts';
import { ensureCode } from '../referral-codes/make-code.ts';
import { recordChange } from '../tiers/change-tier.ts';
import { asPartner, checkPlan, lockPartner, readPartner, wrongTransition } from './partner.ts';

/** The sender of an invitation, if one is requested. */
type Found = Sender | undefined;

export const approvePartner = (tools: Tools): Handler<typeof partners.approvePartner, Found> => ({
  async check({ params, body, caller, tx }) {
    await readPartner(tx, params.id);
    return body.sendInvite ? senderOf(await tools.settingsOf(caller)) : undefined;
  },
  async run({ params, body, found: sender, caller, tx, emit, schedule, ifMatch }) {
    const partner = await lockPartner(tx, params.id);
    ifMatch(partner);
    await checkPlan(tx, body.planId);
    // A suspended partner can become approved only by reactivation.
    if (partner.status !== 'pending') throw wrongTransition(partner);
    const { tier = partner.tier, planId = partner.planId } = body;
    const now = new Date();
    const [row] = await tx.partner.updateManyAndReturn({
      where: { id: partner.id },
      data: { status: 'approved', tier, planId, approvedAt: now, statusChangedAt: now, version: { increment: 1 } },
    });
    if (!row) throw fail('not_found');
    await ensureCode(tx, partner.id);
    const approved = asPartner(row);
    emit(partnerApproved, {
      data: { partnerId: partner.id },
      record: approved,
      changes: { status: { from: partner.status, to: approved.status } },
    });
    const createdBy = actingUserId(caller) ?? null;
    const change = { from: partner.tier, cause: 'approval', createdBy } as const;
    if (tier !== partner.tier) await recordChange({ tx, emit }, approved, change);
    if (sender) await inviteOwner({ tx, emit, schedule }, approved, { sender, createdBy }, tools);
    return approved;
  },
});
