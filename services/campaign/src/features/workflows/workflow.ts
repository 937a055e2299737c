import { type Workflow, WorkflowSummary, workflowStates } from '@tandem/campaign-contract';
import { fail, toJsonColumn, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Workflow as WorkflowRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { graphColumns } from './enterable.ts';

export type WorkflowRecord = z.output<typeof Workflow>;
type SummaryRecord = z.output<typeof WorkflowSummary>;
type Status = SummaryRecord['status'];
type Unshown = 'environment' | 'publishedTrigger' | 'secret' | 'previousSecret' | 'secretRotatedAt' | 'deletedAt';
type SummaryRow = Omit<WorkflowRow, 'nodes' | 'edges' | 'settings' | Unshown>;

const columns = WorkflowSummary.pick({ status: true });

/** Converts a row to the contract's `WorkflowSummary`. */
export function asWorkflow(row: SummaryRow): SummaryRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: workflowStates.next(checked.status) };
}

/** Converts a row to the contract's `Workflow`. */
export function asFullWorkflow(row: WorkflowRow): WorkflowRecord {
  return { ...asWorkflow(row), ...graphColumns.parse(row) };
}

/**
 * Locks a workflow for a change.
 * @throws ApiError 404 when it does not exist
 */
export async function lockWorkflow(tx: Tx, id: number): Promise<WorkflowRow> {
  const row = await tx.workflow.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails with 409 unless the workflow can change to a status. */
export function checkTransition({ status, allowedTransitions }: SummaryRecord, to: Status): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** Fails with 404 unless the workflow exists for the caller. */
export async function findWorkflowRow(tx: Tx, id: number): Promise<WorkflowRow> {
  const row = await tx.workflow.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** The same for callers that need nothing of the workflow, which can have a megabyte. */
export async function checkWorkflow(tx: Tx, id: number): Promise<void> {
  const row = await tx.workflow.findFirst({ where: { id, deletedAt: null }, select: { id: true } });
  if (!row) throw fail('not_found');
}

type Graph = Pick<WorkflowRecord, 'nodes' | 'edges'>;

/** The columns of a draft's graph and settings. */
export function graphData({ nodes, edges }: Graph, settings?: WorkflowRecord['settings']) {
  return {
    nodes: nodes.map(toJsonColumn),
    edges: [...edges],
    triggerType: triggerTypeOf({ nodes }),
    ...(settings && { settings: toJsonColumn({ ...settings }) }),
  };
}

/** The name of the trigger of a graph: `manual` if its node names none, null without a trigger. */
export function triggerTypeOf({ nodes }: Pick<Graph, 'nodes'>): string | null {
  const trigger = nodes.find(({ type }) => type === 'trigger');
  if (!trigger) return null;
  const { triggerType } = trigger.data ?? {};
  return typeof triggerType === 'string' && triggerType !== '' ? triggerType.slice(0, 100) : 'manual';
}
