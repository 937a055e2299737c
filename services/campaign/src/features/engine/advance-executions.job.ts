import { ServiceCallError } from '@tandem/client/internal';
import { type BatchContext, batchJob, type GiveUpContext, type Inside } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { engage, type MessageDeed } from '../tracking/engage.ts';
import { advanceExecutionsJob } from './enroll.ts';
import type { Facts, Position } from './facts.ts';
import { applyEnrollments } from './outside/enroll-in-other.ts';
import { recorded } from './outside/message-outcomes.ts';
import { endMessages } from './outside/message-rows.ts';
import { emitNotifications } from './outside/notify-users.ts';
import type { Outcome } from './outside/outcome.ts';
import { performOutside } from './outside/perform.ts';
import { type Ready, readDeeds, readDue, zoneOf } from './read-batch.ts';
import { readSegments } from './segment-facts.ts';
import { moved, type Step, type Walked, walk } from './walk.ts';
import { type Change, findPausedWorkflows, lockCurrent, writeExecutions, writeSteps } from './write.ts';

type Payload = z.output<typeof advanceExecutionsJob.payload>;

// Messages of a batch are sent at the same time; a crash makes at most so many uncertain per running job.
const batchMax = 25;
// While crm is unavailable, executions wait this long before they ask again.
const unavailableMs = 15_000;
// How often a node's effect in another service is tried: with the delays below, for about a day.
const attemptsMax = 30;
const delayMaxMs = 3_600_000;
const none: ReadonlySet<string> = new Set();

/** An execution with where it walked, what it did outside, and where it walked after that. */
interface Advanced {
  due: Ready;
  first: Walked;
  outcome?: Outcome | undefined;
  second?: Walked;
}

/**
 * Continues executions that are due. First each walks, without effects, to the next node that waits, ends the execution or
 * needs something outside of the database. Then the outside effects happen, each claimed before. Then one transaction per
 * batch records the steps, the effects and the new positions. After a crash the same walk is repeated, and finds the claim.
 */
export const advanceExecutions = (tools: Tools) =>
  batchJob({
    ...advanceExecutionsJob,
    batchMax,
    async run({ due, tx, outside, finish }: BatchContext<Payload, Tx>) {
      const payloads = due.map(({ payload }) => payload);
      const ready = await readDue(tx, payloads);
      const [paused, running] = partition(ready, isPaused);
      let advanced: Advanced[];
      try {
        advanced = await advance(tools, tx, outside, running);
      } catch (error) {
        if (!(error instanceof ServiceCallError) || error.status < 500) throw error;
        await finish(async () => payloads.map(() => new Date(Date.now() + unavailableMs)));
        return;
      }
      await finish(async (inside) => {
        const next = await record(tools, inside, advanced);
        const parked = await park(inside.tx, paused);
        return payloads.map(({ executionId }) => next.get(executionId) ?? parked.get(executionId));
      });
      recorded(messageIdsOf(advanced));
    },
    async giveUp({ payload: { executionId, wake }, tx }: GiveUpContext<Payload, Tx>) {
      await tx.sql`UPDATE execution SET status = 'failed', error = 'The step failed repeatedly', ended_at = now(),
          due_at = NULL, waits_for = NULL, end_reason = 'failed'
        WHERE id = ${executionId} AND wake = ${wake}::int AND status IN ('running', 'waiting')`;
    },
  });

function isPaused({ workflowStatus, campaignStatus }: Ready): boolean {
  return workflowStatus !== 'published' || (campaignStatus !== null && campaignStatus !== 'active');
}

async function advance(
  tools: Tools,
  tx: Tx,
  outside: <T>(work: () => Promise<T>) => Promise<T>,
  running: readonly Ready[],
): Promise<Advanced[]> {
  const [first] = running;
  if (!first) return [];
  const as = { tenantId: first.tenantId, environment: first.environment, requestId: `execution-${first.executionId}` };
  const ids = [...new Set(running.map(({ leadId }) => leadId))];
  const [leads, settings] = await outside(() =>
    Promise.all([tools.crm.readLeads({ body: { ids }, as }), tools.settingsOf(as)]),
  );
  const leadOf = new Map(leads.map((lead) => [lead.id, lead]));
  const deeds = await readDeeds(tx, running);
  const asking = running.map(({ executionId, tenantId, leadId, version: { graph } }) => ({
    executionId,
    tenantId,
    leadId,
    graph,
  }));
  const segments = await outside(() => readSegments(tools, { tx, as }, asking));
  const now = new Date();
  const advanced = running.map((due): Advanced & { facts?: Facts } => {
    const lead = leadOf.get(due.leadId);
    if (!lead) return { due, first: gone(due) };
    const timezone = zoneOf(due, lead, settings?.timezone);
    const facts = {
      now,
      lead,
      timezone,
      deeds: deeds.get(due.executionId) ?? [],
      payload: due.payload,
      segments: segments.get(due.executionId) ?? none,
    };
    return { due, facts, first: walk(due.version.graph, positionOf(due, now), facts, due.settings) };
  });
  const atOutside = advanced.flatMap(({ due, facts, first: { state, step } }) =>
    state.is === 'outside' && facts ? [{ due, facts, step, node: state.node }] : [],
  );
  const outcomes = await performOutside(tools, tx, outside, atOutside);
  return advanced.map(({ facts, ...one }) => {
    const outcome = outcomes.get(one.due.executionId);
    return { ...one, outcome, ...(outcome && facts && continued(one, outcome, facts)) };
  });
}

/** The walk after an effect outside: to the next node that waits, ends the execution or needs something outside again. */
function continued({ due, first }: Advanced, outcome: Outcome, facts: Facts): { second?: Walked } {
  if (outcome.is !== 'done' && outcome.is !== 'skipped' && outcome.is !== 'uncertain') return {};
  const { graph } = due.version;
  const next = graph.next(first.nodeId, outcome.branch);
  const { executionId, workflowId, nodeId, step, enteredAt, isWoken } = first;
  const position = { executionId, workflowId, nodeId, step, enteredAt, isWoken };
  if (next === undefined)
    return { second: { ...position, steps: [], state: { is: 'ended', status: 'completed', reason: 'completed' } } };
  return { second: walk(graph, moved(position, next, facts.now), facts, due.settings) };
}

function positionOf(due: Ready, now: Date): Position {
  const { executionId, workflowId, nodeId, step, enteredAt, status, dueAt } = due;
  const isWoken = status === 'waiting' && dueAt !== null && dueAt <= now;
  return { executionId, workflowId, nodeId, step, enteredAt, isWoken };
}

function gone(due: Ready): Walked {
  const position = positionOf(due, new Date());
  return { ...position, steps: [], state: { is: 'ended', status: 'exited', reason: 'lead_deleted' } };
}

/** Records what happened, and returns when each execution continues. One that ended meanwhile is left as it is. */
async function record(tools: Tools, inside: Inside<Tx>, advanced: readonly Advanced[]): Promise<Map<number, Date>> {
  const { tx } = inside;
  const messages = advanced.flatMap(({ outcome }) => (outcome && 'message' in outcome && outcome.message) || []);
  await engage(inside, tools, (await endMessages(tx, messages)).map(sentNow));
  const current = await lockCurrent(
    tx,
    advanced.map(({ due }) => due),
  );
  const changes = advanced.filter(({ due }) => current.has(due.executionId)).map(changeOf);
  await writeSteps(
    tx,
    changes.flatMap(({ executionId, steps }) => steps.map((step) => ({ executionId, ...step }))),
  );
  await writeExecutions(tx, changes);
  await applyEnrollments(inside, advanced);
  await emitNotifications(
    inside,
    advanced.filter(({ due }) => current.has(due.executionId)),
  );
  return new Map(changes.flatMap(({ executionId, dueAt }) => (dueAt ? [[executionId, dueAt]] : [])));
}

function changeOf({ due, first, outcome, second }: Advanced): Change {
  const base = { executionId: due.executionId, attempts: 0, error: null };
  const steps = [...first.steps, ...outsideSteps(first, outcome), ...(second?.steps ?? [])];
  if (outcome?.is === 'failed')
    return {
      ...base,
      ...placeOf(first),
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
      ...placeOf(first),
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
    return { ...base, ...placeOf(first), steps, status: 'running', dueAt: new Date(), waitsFor: null, endReason: null };
  const last = second ?? first;
  const { state } = last;
  if (state.is === 'ended')
    return {
      ...base,
      ...placeOf(last),
      steps,
      status: state.status,
      dueAt: null,
      waitsFor: null,
      endReason: state.reason,
    };
  if (state.is === 'waiting')
    return {
      ...base,
      ...placeOf(last),
      steps,
      status: 'waiting',
      dueAt: state.until,
      waitsFor: state.waitsFor,
      endReason: null,
    };
  return { ...base, ...placeOf(last), steps, status: 'running', dueAt: new Date(), waitsFor: null, endReason: null };
}

function sentNow({ id, channel }: { id: number; channel: 'email' | 'sms' }): MessageDeed {
  return { messageId: id, type: `${channel}_sent`, at: new Date(), automated: false };
}

function placeOf({ nodeId, step, enteredAt }: Walked) {
  return { nodeId, step, enteredAt };
}

/** The step at a node with an effect outside. */
function outsideSteps(at: Walked, outcome: Outcome | undefined): Step[] {
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
  return [{ ...base, outcome: is, input, result, skipReason, endedAt: new Date() }];
}

/** Parks executions of paused workflows; one that was resumed meanwhile continues at once. */
async function park(tx: Tx, paused: readonly Ready[]): Promise<Map<number, Date>> {
  if (!paused.length) return new Map();
  const still = await findPausedWorkflows(tx, paused);
  const [parked, resumed] = partition(paused, ({ executionId }) => still.has(executionId));
  await tx.sql`UPDATE execution SET parked = true
    WHERE id = ANY(${parked.map(({ executionId }) => executionId)}::bigint[]) AND status IN ('running', 'waiting')`;
  return new Map(resumed.map(({ executionId }) => [executionId, new Date()]));
}

function messageIdsOf(advanced: readonly Advanced[]): number[] {
  return advanced.flatMap(({ outcome }) => {
    const id = outcome && 'result' in outcome ? (outcome.result as { messageId?: number }).messageId : undefined;
    return id === undefined ? [] : [id];
  });
}

/** When a fault of another service is tried again; undefined after the last attempt. */
export function retryAt(attempts: number): Date | undefined {
  return attempts >= attemptsMax ? undefined : new Date(Date.now() + Math.min(2_000 * 2 ** attempts, delayMaxMs));
}

function partition<T>(all: readonly T[], isIn: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isIn), all.filter((one) => !isIn(one))];
}
