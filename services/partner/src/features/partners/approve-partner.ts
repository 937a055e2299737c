import { partnerApproved, type partners } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPartner, lockPartner, wrongTransition } from './partner.ts';
import { ensureCode } from './referral-code.ts';

export const approvePartner: Handler<typeof partners.approvePartner> = async ({ params, body, tx, emit, ifMatch }) => {
  const partner = await lockPartner(tx, params.id);
  ifMatch(partner);
  // A suspended partner can become approved only by reactivation.
  if (partner.status !== 'pending') throw wrongTransition(partner);
  const { tier = partner.tier } = body;
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partner.id },
    data: { status: 'approved', tier, approvedAt: new Date(), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  await ensureCode(tx, partner.id);
  const approved = asPartner(row);
  emit(partnerApproved, {
    data: { partnerId: partner.id },
    record: approved,
    changes: {
      status: { from: partner.status, to: approved.status },
      ...(tier !== partner.tier && { tier: { from: partner.tier, to: tier } }),
    },
  });
  return approved;
};
