import { serveTasks } from '@tandem/workers/serve';
import { type BankPayment, type PaymentFile, toPain001 } from './features/payouts/bank-files.ts';
import { statementDocument } from './features/statements/statement-document.ts';

const tasks = {
  statement: statementDocument,
  payments: ({ payments, file }: { payments: readonly BankPayment[]; file: PaymentFile }) => toPain001(payments, file),
};

export type DocumentTasks = typeof tasks;

serveTasks(tasks);
