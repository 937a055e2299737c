import type { winLossReasons } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asReason, withCount } from './win-loss-reason.ts';

export const getWinLossReason: Handler<typeof winLossReasons.getWinLossReason> = async ({ params, tx }) => {
  const row = await tx.winLossReason.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return withCount(tx, asReason(row));
};
