import type { Handlers } from '@tandem/service';
import type { questionBanks } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { createBankQuestion } from './create-bank-question.ts';
import { createQuestionBank } from './create-question-bank.ts';
import { deleteBankQuestion } from './delete-bank-question.ts';
import { deleteQuestionBank } from './delete-question-bank.ts';
import { getBankQuestion } from './get-bank-question.ts';
import { getQuestionBank } from './get-question-bank.ts';
import { listBankQuestions } from './list-bank-questions.ts';
import { listQuestionBanks } from './list-question-banks.ts';
import { updateBankQuestion } from './update-bank-question.ts';
import { updateQuestionBank } from './update-question-bank.ts';

export const questionBankHandlers = {
  createQuestionBank,
  listQuestionBanks,
  getQuestionBank,
  updateQuestionBank,
  deleteQuestionBank,
  createBankQuestion,
  listBankQuestions,
  getBankQuestion,
  updateBankQuestion,
  deleteBankQuestion,
} satisfies Handlers<typeof questionBanks, Tx>;
