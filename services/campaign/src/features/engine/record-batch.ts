import type { Inside } from '@tandem/jobs';
import type { Tools, Tx } from '../../handler.ts';
import { suppressStopped } from '../provider-events/twilio.ts';
import { storableText } from '../templates/storable-text.ts';
import { engage, type MessageDeed } from '../tracking/engage.ts';
import { awaitedSince, hasDone } from './conditions.ts';
import { endQueuedMessages } from './end-queued.ts';
import { applyEnrollments } from './outside/enroll-in-other.ts';
import { endMessages } from './outside/message-rows.ts';
import { emitNotifications } from './outside/notify-users.ts';
import type { Outcome } from './outside/outcome.ts';
import { type Ready, readDeeds, readHistories } from './read-batch.ts';
import type { Step } from './walk.ts';
import type { Advanced, Reached } from './walk-batch.ts';
import { type Change, findNotRunning, lockCurrent, writeExecutions, writeSteps } from './write.ts';

// Characters of a value in the record of a step.
const shownMax = 1_000;

/**
 * Records what happened, and returns when each execution continues. One that ended meanwhile is left as it is. Locks the
 * workflows and campaigns of paused executions, then messages, then executions, as all transactions do.
 */
export async function recordBatch(
  tools: Tools,
  inside: Inside<Tx>,
  advanced: readonly Advanced[],
  paused: readonly Ready[],
): Promise<Map<number, Date>> {
  const { tx } = inside;
  const notRunning = await findNotRunning(tx, paused);
  const messages = advanced.flatMap(({ outcome }) => (outcome && 'message' in outcome && outcome.message) || []);
  await engage(inside, tools, (await endMessages(tx, messages)).map(sentNow));
  for (const message of messages)
    if (message.channel === 'sms' && message.status === 'failed') await suppressStopped(inside, tools, message);
  const current = await lockCurrent(tx, [...advanced.map(({ due }) => due), ...paused]);
  // Before executions are changed: an insert waits for a change of the execution that the lead has in the other workflow.
  const recorded = await applyEnrollments(
    inside,
    tools,
    advanced.filter(({ due }) => current.has(due.executionId)),
  );
  const decided = recorded.map(changeOf);
  await writeSteps(
    tx,
    decided.flatMap(({ executionId, steps }) => steps.map((step) => ({ executionId, ...step }))),
  );
  const heard = await findHeard(tx, recorded);
  const changes = decided.map((change) =>
    heard.has(change.executionId) ? { ...change, dueAt: new Date(), waitsFor: null } : change,
  );
  await writeExecutions(tx, changes);
  // Those that end now, or ended while their message was sent and postponed.
  const ended = new Set(
    changes.filter(({ status }) => status === 'exited' || status === 'completed').map(({ executionId }) => executionId),
  );
  await endQueuedMessages(
    tx,
    advanced
      .map(({ due }) => due.executionId)
      .filter((executionId) => ended.has(executionId) || !current.has(executionId)),
  );
  const stopped = paused.filter(({ executionId }) => current.has(executionId));
  const resumed = await park(tx, stopped, notRunning);
  await emitNotifications(inside, recorded);
  const next = changes.flatMap(({ executionId, dueAt }): [number, Date][] => (dueAt ? [[executionId, dueAt]] : []));
  return new Map([...next, ...resumed]);
}

/**
 * The executions for which the event that they begin to wait for happened already, while their message was sent or their
 * steps were recorded: they continue at once. What happens from now on finds them waiting, because `react` needs the locks
 * that are held here.
 */
async function findHeard(tx: Tx, recorded: readonly Advanced[]): Promise<Set<number>> {
  const waiting = recorded.flatMap(({ due, first, second }) => {
    const { state, nodeId, enteredAt } = second ?? first;
    return state.is === 'waiting' && state.waitsFor !== null ? [{ due, nodeId, enteredAt, event: state.waitsFor }] : [];
  });
  if (!waiting.length) return new Set();
  const due = waiting.map((one) => one.due);
  const deeds = await readDeeds(tx, due);
  const historyOf = await readHistories(tx, due);
  return new Set(
    waiting.flatMap(({ due: { executionId }, event, ...at }) => {
      const since = awaitedSince(historyOf(executionId), at);
      return hasDone(deeds.get(executionId) ?? [], event, { since }) ? [executionId] : [];
    }),
  );
}

function changeOf({ due, first, outcome, second }: Advanced): Change {
  const base = { executionId: due.executionId, number: due.number, attempts: 0, error: null };
  const steps = [...first.steps, ...outsideSteps(first, outcome), ...(second?.steps ?? [])];
  if (outcome?.is === 'failed')
    return {
      ...base,
      ...placeOf(due, first),
      steps,
      status: 'failed',
      dueAt: null,
      waitsFor: null,
      endReason: 'failed',
      error: outcome.error,
    };
  if (outcome?.is === 'postponed') {
    const attempts = outcome.isFault ? due.attempts + 1 : due.attempts;
    return {
      ...base,
      ...placeOf(due, first),
      steps,
      status: 'waiting',
      attempts,
      dueAt: outcome.until,
      waitsFor: null,
      endReason: null,
    };
  }
  // It was not performed: the next run finds the pause.
  if (outcome?.is === 'paused')
    return {
      ...base,
      ...placeOf(due, first),
      steps,
      status: 'running',
      dueAt: new Date(),
      waitsFor: null,
      endReason: null,
    };
  const last = second ?? first;
  const { state } = last;
  if (state.is === 'ended')
    return {
      ...base,
      ...placeOf(due, last),
      steps,
      status: state.status,
      dueAt: null,
      waitsFor: null,
      endReason: state.reason,
      ...(state.status === 'failed' && { error: state.error }),
    };
  // The status stays, because it decides whether the execution is woken at its node or comes to it.
  if (state.is === 'postponed')
    return {
      ...base,
      ...placeOf(due, last),
      steps,
      status: due.status,
      attempts: due.attempts + 1,
      dueAt: state.until,
      waitsFor: null,
      endReason: null,
    };
  if (state.is === 'waiting')
    return {
      ...base,
      ...placeOf(due, last),
      steps,
      status: 'waiting',
      dueAt: state.until,
      waitsFor: state.waitsFor,
      endReason: null,
    };
  return {
    ...base,
    ...placeOf(due, last),
    steps,
    status: 'running',
    dueAt: new Date(),
    waitsFor: null,
    endReason: null,
  };
}

function sentNow({ id, channel }: { id: number; channel: 'email' | 'sms' }): MessageDeed {
  return { messageId: id, type: `${channel}_sent`, at: new Date(), automated: false };
}

function placeOf({ version }: Ready, { nodeId, step, enteredAt }: Reached) {
  return { nodeId, nodeType: version.graph.node(nodeId)?.type ?? null, step, enteredAt };
}

/** The step at a node with an effect outside. */
function outsideSteps(at: Reached, outcome: Outcome | undefined): Step[] {
  if (at.state.is !== 'outside' || !outcome || outcome.is === 'paused') return [];
  const { node } = at.state;
  const base = { number: at.step, nodeId: node.nodeId, type: node.type, startedAt: at.enteredAt, skipReason: null };
  if (outcome.is === 'postponed')
    return [
      {
        ...base,
        outcome: 'waiting',
        input: {},
        result: { until: outcome.until, reason: outcome.reason },
        endedAt: null,
      },
    ];
  if (outcome.is === 'failed')
    return [
      { ...base, outcome: 'failed', input: outcome.input, result: { error: outcome.error }, endedAt: new Date() },
    ];
  const { is, input, result, skipReason = null } = outcome;
  return [{ ...base, outcome: is, input: shortened(input), result, skipReason, endedAt: new Date() }];
}

/** Shortens long values for the record of a step; the message has them whole. */
function shortened(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' ? storableText(value.slice(0, shownMax)) : value,
    ]),
  );
}

/**
 * Parks locked executions of paused workflows, and cancels those of archived workflows and completed campaigns. One that was
 * resumed meanwhile continues at once.
 */
async function park(
  tx: Tx,
  paused: readonly Ready[],
  notRunning: ReadonlyMap<number, string | null>,
): Promise<Map<number, Date>> {
  const ids = paused.map(({ executionId }) => executionId);
  const parked = ids.filter((id) => notRunning.get(id) === null);
  const ended = ids.flatMap((id) => {
    const endReason = notRunning.get(id);
    return endReason ? [{ id, endReason }] : [];
  });
  if (parked.length) await tx.sql`UPDATE execution SET parked = true WHERE id = ANY(${parked}::bigint[])`;
  if (ended.length)
    await tx.sql`UPDATE execution SET status = 'cancelled', end_reason = given."endReason", ended_at = now(), due_at = NULL,
        waits_for = NULL, parked = false, wake = wake + 1
      FROM jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) AS given (id bigint, "endReason" text)
      WHERE execution.id = given.id`;
  await endQueuedMessages(
    tx,
    ended.map(({ id }) => id),
  );
  return new Map(ids.flatMap((id) => (notRunning.has(id) ? [] : [[id, new Date()]])));
}
