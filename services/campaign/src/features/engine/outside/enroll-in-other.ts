import type { Inside } from '@tandem/jobs';
import type { Tools, Tx } from '../../../handler.ts';
import { readEnterable } from '../../workflows/enterable.ts';
import { chainMax, type Enrolled, type Enrollment, enroll } from '../enroll.ts';
import { dataOf } from '../graph.ts';
import type { Ready } from '../read-batch.ts';
import type { Outcome } from './outcome.ts';
import type { ToSend } from './to-send.ts';

/** Decides on the enrollment in another workflow, which happens in the transaction that records the step, and decides on its outcome. */
export function enrollInOther(tools: Pick<Tools, 'ids'>, { node, due }: ToSend): Outcome {
  const { workflowId: code } = dataOf(node, 'enroll');
  const workflowId = tools.ids.decode('workflow', due.tenantId, code);
  const input = { workflowId: code };
  if (workflowId === undefined) return { is: 'failed', input, error: 'There is no workflow with the id of this node' };
  const chain = [...due.chain, due.workflowId];
  if (chain.includes(workflowId)) return { is: 'skipped', input, result: {}, skipReason: 'workflow_in_chain' };
  if (chain.length >= chainMax) return { is: 'skipped', input, result: {}, skipReason: 'chain_too_deep' };
  return { is: 'done', input, result: {}, enroll: workflowId };
}

/**
 * Enrolls leads for the nodes that decided so, in the order of workflows and leads, so that two batches do not wait for each
 * other.
 * @returns the executions with the outcomes of their steps: skipped for those whose lead was not enrolled
 */
export async function applyEnrollments<One extends Enrolling>(
  { tx, schedule }: Pick<Inside<Tx>, 'tx' | 'schedule'>,
  { ids }: Pick<Tools, 'ids'>,
  recorded: readonly One[],
): Promise<One[]> {
  const results = new Map<One, Enrolled | undefined>();
  const byWorkflow = Map.groupBy(recorded.filter(targetOf), (one) => targetOf(one) as number);
  for (const [workflowId, group] of [...byWorkflow].toSorted(([a], [b]) => a - b)) {
    const workflow = await readEnterable(tx, workflowId);
    const entries = workflow ? group.map(enrollmentOf) : [];
    const enrolled = workflow ? await enroll({ tx, schedule }, workflow, entries, { source: 'workflow' }) : [];
    const seen = new Set<number>();
    for (const [index, one] of group.entries()) {
      const result = enrolled[index];
      // Two executions of a lead in one batch: the first enrolls it.
      const isSecond = seen.has(one.due.leadId);
      results.set(one, result?.result === 'enrolled' && isSecond ? { ...result, result: 'already_in' } : result);
      seen.add(one.due.leadId);
    }
  }
  return recorded.map((one) => (results.has(one) ? { ...one, outcome: outcomeOf(ids, one, results.get(one)) } : one));
}

interface Enrolling {
  due: Ready;
  first: { step: number };
  outcome?: Outcome | undefined;
}

function targetOf({ outcome }: Enrolling): number | undefined {
  return outcome?.is === 'done' ? outcome.enroll : undefined;
}

/** The same step enrolls once, also when it is recorded again. */
function enrollmentOf({ due: { executionId, leadId, workflowId, chain }, first }: Enrolling): Enrollment {
  return { leadId, chain: [...chain, workflowId], eventId: `execution-${executionId}-${first.step}` };
}

function outcomeOf(ids: Tools['ids'], { due, outcome }: Enrolling, enrolled: Enrolled | undefined): Outcome {
  const input = outcome && 'input' in outcome ? outcome.input : {};
  if (!enrolled) return { is: 'skipped', input, result: {}, skipReason: 'workflow_not_running' };
  const { result: reason, executionId } = enrolled;
  const result =
    executionId === null ? {} : { executionId: ids.encode('workflow_execution', due.tenantId, executionId) };
  return reason === 'enrolled' ? { is: 'done', input, result } : { is: 'skipped', input, result, skipReason: reason };
}
