import type { WorkflowSummary, workflowStatuses } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Workflow as WorkflowRow } from '../../generated/client.ts';

type SummaryRecord = z.output<typeof WorkflowSummary>;
type WorkflowStatus = (typeof workflowStatuses)[number];

const transitions: Record<WorkflowStatus, readonly WorkflowStatus[]> = {
  draft: ['published', 'archived'],
  published: ['paused', 'archived'],
  paused: ['published', 'archived'],
  archived: [],
};

/** Adds `allowedTransitions` to a row with any selected columns. */
export function asWorkflow<Row extends Pick<WorkflowRow, 'id' | 'status'>>(row: Row): Row & SummaryRecord {
  const allowedTransitions = [...transitions[row.status as WorkflowStatus]];
  return { ...(row as Row & SummaryRecord), allowedTransitions };
}
