import { diff, fail } from '@tandem/service';
import { type questionBanks, questionBankUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockBank } from './question-bank.ts';

export const updateQuestionBank: Handler<typeof questionBanks.updateQuestionBank> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const before = await lockBank(tx, params.id);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return before;
  const [bank] = await tx.questionBank.updateManyAndReturn({
    where: { id: before.id },
    data: { ...values, version: { increment: 1 } },
  });
  if (!bank) throw fail('not_found');
  emit(questionBankUpdated, { data: { bankId: bank.id }, record: bank, changes: audit });
  return bank;
};
