import type { questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';

export const listQuestionBanks: Handler<typeof questionBanks.listQuestionBanks> = ({ tx, list }) =>
  list({ model: tx.questionBank, searchIn: ['title'] });
