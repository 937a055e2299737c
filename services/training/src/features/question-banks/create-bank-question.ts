import { fail } from '@tandem/service';
import { type questionBanks, questionCreated, questionLimits } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { fieldsOf, questionErrors } from '../questions/check-question.ts';
import { asBankQuestion, checkMayChangeQuestions, lockBank, shownTo } from './question-bank.ts';

export const createBankQuestion: Handler<typeof questionBanks.createBankQuestion> = async ({
  params,
  body,
  caller,
  tx,
  emit,
}) => {
  const fields = fieldsOf(body);
  const errors = questionErrors(fields);
  if (errors.length) throw fail('validation_failed', errors);
  const bank = await lockBank(tx, params.id);
  await checkMayChangeQuestions(tx, caller, bank.id);
  if (bank.questionsCount >= questionLimits.perBank) throw fail('bank_full');
  const row = await tx.question.create({ data: { ...fields, bankId: bank.id, order: bank.questionsCount } });
  await tx.questionBank.updateMany({
    where: { id: bank.id },
    data: { questionsCount: { increment: 1 }, version: { increment: 1 } },
  });
  const question = asBankQuestion(row);
  emit(questionCreated, { data: { questionId: question.id, bankId: bank.id }, record: question });
  return shownTo(caller, row);
};
