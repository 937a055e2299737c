import type { winLossReasons } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createWinLossReason } from './create-win-loss-reason.ts';
import { deleteWinLossReason } from './delete-win-loss-reason.ts';
import { getWinLossReason } from './get-win-loss-reason.ts';
import { listWinLossReasons } from './list-win-loss-reasons.ts';
import { updateWinLossReason } from './update-win-loss-reason.ts';

export const winLossReasonHandlers = {
  createWinLossReason,
  listWinLossReasons,
  getWinLossReason,
  updateWinLossReason,
  deleteWinLossReason,
} satisfies Handlers<typeof winLossReasons, Tx>;
