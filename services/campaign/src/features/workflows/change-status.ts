import { fail } from '@tandem/service';
import type { Workflow as WorkflowRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asFullWorkflow, asWorkflow, checkTransition, lockWorkflow, type WorkflowRecord } from './workflow.ts';

/** A workflow before and after a change of its status, with what its event says. */
export interface StatusChange {
  row: WorkflowRow;
  workflow: WorkflowRecord;
  event: {
    data: { workflowId: number; campaignId: number | null; publishedVersion: number | null };
    record: WorkflowRecord;
    changes: { status: { from: string; to: string } };
  };
}

/**
 * Changes the status of a workflow.
 * @throws ApiError 409 when the state table does not allow it
 */
export async function changeStatus(
  tx: Tx,
  id: number,
  to: WorkflowRecord['status'],
  ifMatch: (record: { version: number }) => void,
): Promise<StatusChange> {
  const row = await lockWorkflow(tx, id);
  const before = asWorkflow(row);
  ifMatch(before);
  checkTransition(before, to);
  const [written] = await tx.workflow.updateManyAndReturn({
    where: { id },
    data: { status: to, version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  const workflow = asFullWorkflow(written);
  const { campaignId, publishedVersion } = row;
  return {
    row,
    workflow,
    event: {
      data: { workflowId: id, campaignId, publishedVersion },
      record: workflow,
      changes: { status: { from: before.status, to } },
    },
  };
}
