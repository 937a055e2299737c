import { workflowDeleted, type workflows } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { hasRunningTest, removeTests } from '../ab-tests/remove-tests.ts';
import { checkNotEntered } from './not-entered.ts';
import { deleteWorkflows } from './remove-deleted.job.ts';
import { asWorkflow, lockWorkflow } from './workflow.ts';

export const deleteWorkflow =
  (tools: Pick<Tools, 'ids'>): Handler<typeof workflows.deleteWorkflow> =>
  async (context) => {
    const { params, tx, schedule, emit, ifMatch } = context;
    const row = await lockWorkflow(tx, params.id);
    ifMatch(row);
    const live = await tx.execution.findFirst({
      where: { workflowId: row.id, status: { in: ['running', 'waiting'] } },
      select: { id: true },
    });
    if (live) throw fail('live_executions');
    if (await hasRunningTest(tx, { workflowId: row.id })) throw fail('workflow_in_test');
    await checkNotEntered(context, tools, [row.id]);
    await removeTests({ tx, emit }, { workflowId: row.id });
    await deleteWorkflows({ tx, schedule }, [row.id], null);
    const { campaignId, publishedVersion } = row;
    emit(workflowDeleted, { data: { workflowId: row.id, campaignId, publishedVersion }, record: asWorkflow(row) });
    return { id: row.id, deleted: true };
  };
