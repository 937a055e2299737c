import { fail } from '@tandem/service';
import type { questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { shownTo } from './question-bank.ts';

export const getBankQuestion: Handler<typeof questionBanks.getBankQuestion> = async ({ params, caller, tx }) => {
  const row = await tx.question.findFirst({ where: { id: params.questionId, bankId: params.id } });
  if (!row) throw fail('not_found');
  return shownTo(caller, row);
};
