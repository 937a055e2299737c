import { type winLossReasons, winLossReasonUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asReason, eventDataOf, lockReason, withCount } from './win-loss-reason.ts';

export const updateWinLossReason: Handler<typeof winLossReasons.updateWinLossReason> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const reason = await lockReason(tx, params.id);
  ifMatch(reason);
  const { isEmpty, values, audit } = diff(reason, body);
  if (isEmpty) return withCount(tx, reason);
  const [row] = await tx.winLossReason.updateManyAndReturn({
    where: { id: reason.id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const record = asReason(row);
  emit(winLossReasonUpdated, { data: eventDataOf(record), record, changes: audit });
  return withCount(tx, record);
};
