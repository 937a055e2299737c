import type { Inside } from '@tandem/jobs';
import type { Tools, Tx } from '../../../handler.ts';
import { readEnterable } from '../../workflows/enterable.ts';
import { chainMax, enroll } from '../enroll.ts';
import { dataOf } from '../graph.ts';
import type { Ready } from '../read-batch.ts';
import type { Outcome } from './outcome.ts';
import type { ToSend } from './to-send.ts';

/** Decides on the enrollment in another workflow, which happens in the transaction that records the step. */
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

/** Enrolls leads for the nodes that decided so. A workflow that is not published enrolls nobody. */
export async function applyEnrollments(
  inside: Inside<Tx>,
  advanced: readonly { due: Ready; first: { step: number }; outcome?: Outcome | undefined }[],
): Promise<void> {
  for (const { due, first, outcome } of advanced) {
    if (outcome?.is !== 'done' || outcome.enroll === undefined) continue;
    const workflow = await readEnterable(inside.tx, outcome.enroll);
    if (!workflow) continue;
    const chain = [...due.chain, due.workflowId];
    // The same step enrolls once, also when it is recorded again.
    const eventId = `execution-${due.executionId}-${first.step}`;
    await enroll(inside, workflow, [{ leadId: due.leadId, chain, eventId }], { source: 'workflow' });
  }
}
