import { diff, fail } from '@tandem/service';
import { type questionBanks, questionUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { fieldsOf, questionErrors } from '../questions/check-question.ts';
import { asBankQuestion, checkMayChangeQuestions, lockBank, shownTo } from './question-bank.ts';

export const updateBankQuestion: Handler<typeof questionBanks.updateBankQuestion> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const bank = await lockBank(tx, params.id);
  await checkMayChangeQuestions(tx, caller, bank.id);
  const row = await tx.question.lockFirst({ where: { id: params.questionId, bankId: bank.id } });
  if (!row) throw fail('not_found');
  const before = asBankQuestion(row);
  ifMatch(before);
  const fields = fieldsOf({ ...before, ...body });
  const errors = questionErrors(fields);
  if (errors.length) throw fail('validation_failed', errors);
  const { isEmpty, values, audit } = diff(before, fields);
  if (isEmpty) return shownTo(caller, row);
  const [written] = await tx.question.updateManyAndReturn({
    where: { id: before.id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  const question = asBankQuestion(written);
  emit(questionUpdated, { data: { questionId: question.id, bankId: bank.id }, record: question, changes: audit });
  return shownTo(caller, written);
};
