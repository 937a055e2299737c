import { type Workflow, WorkflowEdge, WorkflowNode, WorkflowSummary, workflowStates } from '@tandem/campaign-contract';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Workflow as WorkflowRow } from '../../generated/client.ts';

type SummaryRecord = z.output<typeof WorkflowSummary>;
type SummaryRow = Omit<WorkflowRow, 'environment' | 'nodes' | 'edges'>;

const columns = WorkflowSummary.pick({ status: true });
const graphColumns = z.object({
  nodes: z.array(WorkflowNode.extend({ data: storedObject.optional() })),
  edges: z.array(WorkflowEdge),
});

/** Converts a row to the contract's `WorkflowSummary`. */
export function asWorkflow(row: SummaryRow): SummaryRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: workflowStates.next(checked.status) };
}

/** Converts a row to the contract's `Workflow`. */
export function asFullWorkflow(row: WorkflowRow): z.output<typeof Workflow> {
  return { ...asWorkflow(row), ...graphColumns.parse(row) };
}
