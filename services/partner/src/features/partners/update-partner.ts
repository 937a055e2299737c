import { actingUserId } from '@tandem/caller';
import { type partners, partnerUpdated } from '@tandem/partner-contract';
import { diff, fail, toJsonColumn } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { recordChange } from '../tiers/change-tier.ts';
import { reviewTierJob } from '../tiers/tier-jobs.ts';
import { asPartner, checkPlan, lockPartner } from './partner.ts';

export const updatePartner: Handler<typeof partners.updatePartner> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const partner = await lockPartner(tx, params.id);
  ifMatch(partner);
  // A new tier or a lock ends the grace period of the tier before.
  const endsGrace = (body.tier && body.tier !== partner.tier) || body.tierLocked;
  const { isEmpty, values, audit } = diff(partner, { ...body, ...(endsGrace && { tierGraceUntil: null }) });
  if (isEmpty) return partner;
  await checkPlan(tx, values.planId);
  const { customFields, ...columns } = values;
  const [row] = await tx.partner.updateManyAndReturn({
    where: { id: partner.id },
    data: {
      ...columns,
      ...(customFields && { customFields: toJsonColumn(customFields) }),
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  const updated = asPartner(row);
  const { id: partnerId, tier: from } = partner;
  const { tier, ...changes } = audit;
  if (tier)
    await recordChange({ tx, emit }, updated, { from, cause: 'manual', createdBy: actingUserId(caller) ?? null });
  if (Object.keys(changes).length) emit(partnerUpdated, { data: { partnerId }, record: updated, changes });
  // An unlocked partner gets the tier that it has reached meanwhile.
  if (updated.status === 'approved' && values.tierLocked === false)
    await schedule(reviewTierJob, [{ partnerId, reviewAt: null }]);
  return updated;
};
