import type { questionBanks } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { findBank } from './question-bank.ts';

export const getQuestionBank: Handler<typeof questionBanks.getQuestionBank> = ({ params, tx }) =>
  findBank(tx, params.id);
