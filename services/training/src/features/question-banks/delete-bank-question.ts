import { fail } from '@tandem/service';
import { type questionBanks, questionDeleted } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asBankQuestion, checkMayChangeQuestions, drawsFrom, lockBank } from './question-bank.ts';

export const deleteBankQuestion: Handler<typeof questionBanks.deleteBankQuestion> = async ({
  params,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const bank = await lockBank(tx, params.id);
  await checkMayChangeQuestions(tx, caller, bank.id);
  const row = await tx.question.lockFirst({ where: { id: params.questionId, bankId: bank.id } });
  if (!row) throw fail('not_found');
  ifMatch(row);
  if (bank.questionsCount <= (await drawsFrom(tx, bank.id)).most) throw fail('question_needed');
  await tx.question.deleteMany({ where: { id: row.id } });
  await tx.questionBank.updateMany({
    where: { id: bank.id },
    data: { questionsCount: { decrement: 1 }, version: { increment: 1 } },
  });
  emit(questionDeleted, { data: { questionId: row.id, bankId: bank.id }, record: asBankQuestion(row) });
  return { id: row.id, deleted: true };
};
