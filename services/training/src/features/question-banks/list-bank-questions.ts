import type { questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { findBank, shownTo } from './question-bank.ts';

export const listBankQuestions: Handler<typeof questionBanks.listBankQuestions> = async ({
  params,
  caller,
  tx,
  list,
}) => {
  const bank = await findBank(tx, params.id);
  const page = await list({ model: tx.question, where: { bankId: bank.id } });
  return { ...page, items: page.items.map((row) => shownTo(caller, row)) };
};
