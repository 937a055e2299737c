import { reasonsMax, winLossReasonCreated, type winLossReasons } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asReason, eventDataOf, withCount } from './win-loss-reason.ts';

export const createWinLossReason: Handler<typeof winLossReasons.createWinLossReason> = async ({ body, tx, emit }) => {
  await lockNamed(tx, 'win_loss_reason');
  const { outcome, code } = body;
  if (await tx.winLossReason.count({ where: { outcome, code } }))
    throw fail('code_taken', [
      { field: 'code', message: `Must be unique; another reason for ${outcome} deals has it` },
    ]);
  if ((await tx.winLossReason.count({ where: {} })) >= reasonsMax) throw fail('too_many_reasons');
  const reason = asReason(await tx.winLossReason.create({ data: body }));
  emit(winLossReasonCreated, { data: eventDataOf(reason), record: reason });
  return withCount(tx, reason);
};
