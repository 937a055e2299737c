import { ServiceCallError } from '@tandem/client/internal';
import { type BatchContext, batchJob, type GiveUpContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { advanceExecutionsJob, callWebhooksJob } from './enroll.ts';
import type { Facts } from './facts.ts';
import { recorded } from './outside/message-outcomes.ts';
import type { Outcome } from './outside/outcome.ts';
import { performOutside } from './outside/perform.ts';
import type { Batch } from './outside/send-messages.ts';
import { type Ready, readDue } from './read-batch.ts';
import { recordBatch } from './record-batch.ts';
import { moved, type Walked, walk } from './walk.ts';
import { type Advanced, byPause, walkBatch } from './walk-batch.ts';

type Payload = z.output<typeof advanceExecutionsJob.payload>;

// Messages of a batch are claimed and sent together. A lane runs eight batches from the claim to the record, so a crash makes
// at most 120 messages uncertain; the mail server gets 20 at a time.
const batchMax = 15;
// While crm is unavailable, executions wait this long before they ask again.
export const unavailableMs = 15_000;

const isAtWebhook = ({ first: { state } }: Advanced) => state.is === 'outside' && state.node.type === 'webhook';

/**
 * Continues executions that are due. First each walks, without effects, to the next node that waits, ends the execution or
 * needs something outside of the database. Then the outside effects happen, each claimed before. Then one transaction per
 * batch records the steps, the effects and the new positions. After a crash the same walk is repeated, and finds the claim.
 */
export const advanceExecutions = (tools: Tools) =>
  batchJob({
    ...advanceExecutionsJob,
    batchMax,
    lane: 'messages',
    run: (context: BatchContext<Payload, Tx>) =>
      advanceBatch(tools, context, { isOurs: (one) => !isAtWebhook(one), other: callWebhooksJob }),
    giveUp,
  });

/** The same for executions at webhook nodes, in a lane of its own: addresses that do not answer hold up no messages. */
export const callWebhooks = (tools: Tools) =>
  batchJob({
    ...callWebhooksJob,
    batchMax,
    lane: 'webhooks',
    run: (context: BatchContext<Payload, Tx>) =>
      advanceBatch(tools, context, { isOurs: isAtWebhook, other: advanceExecutionsJob }),
    giveUp,
  });

interface Lane {
  /** Whether the lane performs the effect at which an execution arrived. */
  isOurs(one: Advanced): boolean;
  /** The job of the other lane, which continues the others. */
  other: typeof advanceExecutionsJob;
}

async function advanceBatch(
  tools: Tools,
  { due, finish, ...batch }: BatchContext<Payload, Tx>,
  { isOurs, other }: Lane,
): Promise<void> {
  const { tx } = batch;
  const payloads = due.map(({ payload }) => payload);
  const { paused, running } = byPause(await readDue(tx, payloads));
  let advanced: Advanced[];
  try {
    advanced = await advance(tools, batch, running, isOurs);
  } catch (error) {
    if (!(error instanceof ServiceCallError) || error.status < 500) throw error;
    await finish(async () => payloads.map(() => new Date(Date.now() + unavailableMs)));
    return;
  }
  const others = new Set(
    advanced.filter((one) => one.first.state.is === 'outside' && !isOurs(one)).map((one) => one.due.executionId),
  );
  await finish(async (inside) => {
    const next = await recordBatch(tools, inside, advanced, paused);
    const handedOver = payloads.filter(({ executionId }) => others.has(executionId) && next.has(executionId));
    await inside.schedule(other, handedOver);
    return payloads.map(({ executionId }) => (others.has(executionId) ? undefined : next.get(executionId)));
  });
  recorded(messageIdsOf(advanced));
}

/** An execution whose step failed repeatedly fails. A message that was claimed may have been sent, so it is flagged. */
export async function giveUp({ payload: { executionId, wake }, tx }: GiveUpContext<Payload, Tx>): Promise<void> {
  // A message of a live execution with another wake is left to the newer job.
  await tx.sql`UPDATE message SET status = 'sent', uncertain = true, sent_at = coalesce(sent_at, now()), updated_at = now(),
      error = 'The step failed repeatedly before the result of the message was stored'
    WHERE execution_id = ${executionId} AND status = 'sending' AND EXISTS (SELECT FROM execution
      WHERE id = ${executionId} AND (wake = ${wake}::int OR status NOT IN ('running', 'waiting')))`;
  await tx.sql`UPDATE execution SET status = 'failed', error = 'The step failed repeatedly', ended_at = now(),
      due_at = NULL, waits_for = NULL, end_reason = 'failed'
    WHERE id = ${executionId} AND wake = ${wake}::int AND status IN ('running', 'waiting')`;
}

async function advance(
  tools: Tools,
  batch: Batch,
  running: readonly Ready[],
  isOurs: Lane['isOurs'],
): Promise<Advanced[]> {
  const { tx, outside } = batch;
  const advanced = await walkBatch(tools, tx, outside, running);
  const atOutside = advanced
    .filter(isOurs)
    .flatMap(({ due, facts, first: { state, step } }) =>
      state.is === 'outside' && facts ? [{ due, facts, step, node: state.node }] : [],
    );
  const outcomes = await performOutside(tools, batch, atOutside);
  return advanced.map(({ facts, ...one }) => {
    const outcome = outcomes.get(one.due.executionId);
    return { ...one, outcome, ...(outcome && facts && continued(one, outcome, facts)) };
  });
}

/** The walk after an effect outside: to the next node that waits, ends the execution or needs something outside again. */
function continued({ due, first }: Advanced, outcome: Outcome, before: Facts): { second?: Walked } {
  if (outcome.is !== 'done' && outcome.is !== 'skipped' && outcome.is !== 'uncertain') return {};
  const { graph } = due.version;
  // The next nodes see what this one changed or sent.
  const { lead = before.lead, message } = outcome;
  const history = message?.status === 'sent' ? { ...before.history, messageAt: before.now } : before.history;
  const facts = { ...before, lead, history };
  const next = graph.next(first.nodeId, outcome.branch);
  const { executionId, workflowId, nodeId, step, enteredAt, isWoken } = first;
  const position = { executionId, workflowId, nodeId, step, enteredAt, isWoken };
  if (next === undefined)
    return { second: { ...position, steps: [], state: { is: 'ended', status: 'completed', reason: 'completed' } } };
  return { second: walk(graph, moved(position, next, facts.now), facts, due.settings) };
}

function messageIdsOf(advanced: readonly Advanced[]): number[] {
  return advanced.flatMap(({ outcome }) => {
    const id = outcome && 'result' in outcome ? (outcome.result as { messageId?: number }).messageId : undefined;
    return id === undefined ? [] : [id];
  });
}
