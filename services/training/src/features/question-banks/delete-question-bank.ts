import { fail } from '@tandem/service';
import { questionBankDeleted, type questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { drawsFrom, lockBank } from './question-bank.ts';

export const deleteQuestionBank: Handler<typeof questionBanks.deleteQuestionBank> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const bank = await lockBank(tx, params.id);
  ifMatch(bank);
  if ((await drawsFrom(tx, bank.id)).isDrawn) throw fail('bank_in_use');
  await tx.question.deleteMany({ where: { bankId: bank.id } });
  await tx.questionBank.deleteMany({ where: { id: bank.id } });
  emit(questionBankDeleted, { data: { bankId: bank.id }, record: bank });
  return { id: bank.id, deleted: true };
};
