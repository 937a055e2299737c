import { winLossReasonDeleted, type winLossReasons } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockReason, withCount } from './win-loss-reason.ts';

export const deleteWinLossReason: Handler<typeof winLossReasons.deleteWinLossReason> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const reason = await lockReason(tx, params.id);
  ifMatch(reason);
  const { usedCount } = await withCount(tx, reason);
  if (usedCount)
    throw fail('reason_in_use', [{ field: 'id', message: `${usedCount} deals have it; set active to false instead` }]);
  await tx.winLossReason.deleteMany({ where: { id: reason.id } });
  emit(winLossReasonDeleted, { data: eventDataOf(reason), record: reason });
  return { id: reason.id, deleted: true };
};
