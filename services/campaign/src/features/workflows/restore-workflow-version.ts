import { type workflows, workflowUpdated } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { graphColumns } from './enterable.ts';
import { asFullWorkflow, graphData, lockWorkflow } from './workflow.ts';

export const restoreWorkflowVersion: Handler<typeof workflows.restoreWorkflowVersion> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const row = await lockWorkflow(tx, params.id);
  ifMatch(row);
  if (row.status === 'archived') throw fail('workflow_archived');
  const version = await tx.workflowVersion.findFirst({ where: { workflowId: row.id, number: params.number } });
  if (!version) throw fail('not_found');
  const { settings, ...graph } = graphColumns.parse(version);
  const [written] = await tx.workflow.updateManyAndReturn({
    where: { id: row.id },
    data: { ...graphData(graph, settings), version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  const updated = asFullWorkflow(written);
  const fields = ['nodes', 'edges', 'settings'];
  emit(workflowUpdated, {
    data: { workflowId: row.id, fields },
    record: updated,
    changes: { restoredVersion: { from: null, to: params.number } },
  });
  return updated;
};
