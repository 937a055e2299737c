import { actingUserId } from '@tandem/caller';
import { partnerApproved, type partners } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { inviteOwner } from '../portal-users/invite-owner.ts';
import { ensureCode } from '../referral-codes/make-code.ts';
import { recordChange } from '../tiers/change-tier.ts';
import { mailDecision } from './mail-decision.ts';
import { asPartner, checkPlan, lockPartner, readPartner, wrongTransition } from './partner.ts';

export const approvePartner = (tools: Tools): Handler<typeof partners.approvePartner, Sender> => ({
  async check({ params, caller, tx }) {
    await readPartner(tx, params.id);
    return senderOf(await tools.settingsOf(caller));
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
    const inside = { tx, emit, schedule };
    // Nobody can sign in with the password of an application that was sent more than once.
    const mustInvite = (await tx.portalUser.count({ where: { partnerId: partner.id, mustChoosePassword: true } })) > 0;
    const isInvited =
      (body.sendInvite || mustInvite) && (await inviteOwner(inside, approved, { sender, createdBy }, tools));
    // The invitation tells about the approval too.
    if (!isInvited) await mailDecision(inside, approved, { decision: 'approved', sender }, tools);
    return approved;
  },
});
