import type { executions } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { cancel, lockExecution } from './execution.ts';

export const removeEnrollment: Handler<typeof executions.removeEnrollment> = async ({ params, tx }) =>
  cancel(tx, await lockExecution(tx, { workflowId: params.id, leadId: params.leadId }));
