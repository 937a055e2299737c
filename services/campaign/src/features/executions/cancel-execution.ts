import type { executions } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { cancel, lockExecution } from './execution.ts';

export const cancelExecution: Handler<typeof executions.cancelExecution> = async ({ params, tx }) =>
  cancel(tx, await lockExecution(tx, { id: params.id }));
