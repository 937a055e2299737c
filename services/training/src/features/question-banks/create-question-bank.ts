import { actingUserId } from '@tandem/caller';
import { questionBankCreated, type questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';

export const createQuestionBank: Handler<typeof questionBanks.createQuestionBank> = async ({
  body,
  caller,
  tx,
  emit,
}) => {
  const bank = await tx.questionBank.create({ data: { ...body, createdBy: actingUserId(caller) ?? null } });
  emit(questionBankCreated, { data: { bankId: bank.id }, record: bank });
  return bank;
};
