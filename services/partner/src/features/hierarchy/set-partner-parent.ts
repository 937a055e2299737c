import { type hierarchy, parentChangeReplaced, parentChangeScheduled } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import {
  applyParentChangeJob,
  asParentChange,
  moveTo,
  type ParentChangeRecord,
  parentsOf,
  recordMove,
} from './parent-change.ts';
import { lockHierarchy, lockPlace, refusalOf, refusedParent } from './place.ts';

export const setPartnerParent: Handler<typeof hierarchy.setPartnerParent> = async (context) => {
  const { params, body, tx, emit, schedule, ifMatch } = context;
  const { parentPartnerId: to, effectiveAt } = body;
  await lockHierarchy(tx);
  const place = await lockPlace(tx, params.id, to);
  if (!place) throw fail('not_found');
  const { partner } = place;
  ifMatch(partner);
  const now = new Date();
  if (effectiveAt && effectiveAt < now) throw failField('effectiveAt', 'Must not be in the past');
  const isSame = to === partner.parentPartnerId;
  const refusal = isSame ? undefined : await refusalOf(tx, place);
  if (refusal) throw refusedParent(refusal, place);

  const waiting = await findScheduled(tx, partner.id);
  if (waiting && isRepeated(waiting, { to, effectiveAt })) return { ...partner, scheduledParentChange: waiting };
  if (waiting) {
    const [row] = await tx.parentChange.updateManyAndReturn({
      where: { id: waiting.id },
      data: { status: 'replaced' },
    });
    if (!row) throw fail('not_found');
    emit(parentChangeReplaced, { data: parentsOf(waiting), record: asParentChange(row) });
  }
  if (isSame) return { ...partner, scheduledParentChange: null };
  if (!effectiveAt) {
    const change = await recordMove(context, partner, { to, effectiveAt: now, status: 'applied' });
    return { ...(await moveTo({ tx, emit }, change)), scheduledParentChange: null };
  }
  const change = await recordMove(context, partner, { to, effectiveAt, status: 'scheduled' });
  await schedule(applyParentChangeJob, [{ parentChangeId: change.id }], effectiveAt);
  emit(parentChangeScheduled, { data: parentsOf(change), record: change });
  return { ...partner, scheduledParentChange: change };
};

async function findScheduled(tx: Tx, partnerId: number): Promise<ParentChangeRecord | null> {
  const row = await tx.parentChange.findFirst({ where: { partnerId, status: 'scheduled' } });
  return row && asParentChange(row);
}

/** Whether the same request was made before, such as by a client that got no answer. */
function isRepeated(
  waiting: ParentChangeRecord,
  { to, effectiveAt }: { to: number | null; effectiveAt: Date | null | undefined },
): boolean {
  return waiting.toParentId === to && waiting.effectiveAt.getTime() === effectiveAt?.getTime();
}
