import { type executions, WorkflowExecutionStep } from '@tandem/campaign-contract';
import { fail, reachOf, storedObject } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asExecution } from './execution.ts';

const stepsMax = 500;
const columns = WorkflowExecutionStep.pick({ outcome: true }).extend({ input: storedObject, result: storedObject });

export const getWorkflowExecution =
  ({ ids }: Pick<Tools, 'ids'>): Handler<typeof executions.getWorkflowExecution> =>
  async ({ params, caller, tx }) => {
    const row = await tx.execution.findFirst({ where: { id: params.id, workflow: { deletedAt: null } } });
    if (!row) throw fail('not_found');
    const newest = await tx.executionStep.findMany({
      where: { executionId: row.id },
      orderBy: { number: 'desc' },
      take: stepsMax,
    });
    // Recipients and rendered texts are data of the lead.
    const isShown = reachOf(caller, 'leads:read') === 'all';
    const steps = newest.toReversed().map((step) => {
      if (!isShown) return { ...step, ...columns.parse(step), input: {}, result: {} };
      const { result, ...checked } = columns.parse(step);
      const { messageId } = result;
      // The gateway does not look for ids in free-form objects.
      const shown =
        typeof messageId === 'number'
          ? { ...result, messageId: ids.encode('message', row.tenantId, messageId) }
          : result;
      return { ...step, ...checked, result: shown };
    });
    return { ...asExecution(row), steps };
  };
