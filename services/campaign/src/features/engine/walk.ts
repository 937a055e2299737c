import type { WorkflowSettings } from '@tandem/campaign-contract';
import type { Facts, Position } from './facts.ts';
import type { Graph, GraphNode } from './graph.ts';
import { isGoalReached, nodeKinds } from './nodes/index.ts';

/** The record of a visit of a node. */
export interface Step {
  number: number;
  nodeId: string;
  type: string;
  outcome: 'done' | 'waiting' | 'skipped' | 'failed' | 'uncertain';
  input: object;
  result: object;
  skipReason: string | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** Where an execution is after a walk. */
export type Walked = Position & {
  steps: Step[];
  /** `outside`: at a node whose effect is made before the walk continues. */
  state:
    | { is: 'outside'; node: GraphNode }
    | { is: 'waiting'; until: Date; waitsFor: string | null }
    | { is: 'ended'; status: 'completed' | 'exited'; reason: string }
    | { is: 'ended'; status: 'failed'; reason: 'failed'; error: string };
};

// A cycle has a wait, which holds an execution at the second visit; the limit is for versions of a later release.
const visitsMax = 250;

/** Walks through a graph from a position, until a node waits, needs something outside, or ends the execution. */
export function walk(
  graph: Graph,
  position: Position,
  facts: Facts,
  { goal }: Pick<WorkflowSettings, 'goal'> = {},
): Walked {
  let at = position;
  const leftAt = new Map(facts.history.leftAt);
  const seen = { ...facts, history: { ...facts.history, leftAt } };
  const steps: Step[] = [];
  for (let visits = 0; visits < visitsMax; visits++) {
    if (goal && isGoalReached(goal, facts))
      return { ...at, steps, state: { is: 'ended', status: 'completed', reason: 'goal' } };
    const node = graph.node(at.nodeId);
    if (!node) return { ...at, steps, state: { is: 'ended', status: 'completed', reason: 'completed' } };
    const visit = nodeKinds[node.type](node, seen, at);
    if (visit.does === 'outside') return { ...at, steps, state: { is: 'outside', node } };
    steps.push(stepOf(node, at, facts.now, visit));
    if (visit.does === 'wait')
      return { ...at, steps, state: { is: 'waiting', until: visit.until, waitsFor: visit.waitsFor ?? null } };
    if (visit.does === 'end')
      return { ...at, steps, state: { is: 'ended', status: visit.status, reason: visit.reason } };
    if (node.type === 'wait' || node.type === 'wait_for_event') leftAt.set(node.nodeId, facts.now);
    const next = graph.next(node.nodeId, visit.branch);
    if (next === undefined) return { ...at, steps, state: { is: 'ended', status: 'completed', reason: 'completed' } };
    at = moved(at, next, facts.now);
  }
  // An error here would end the walks of the whole batch.
  const error = `The lead passed ${visitsMax} nodes without a wait`;
  return { ...at, steps, state: { is: 'ended', status: 'failed', reason: 'failed', error } };
}

/** The position at the next node. */
export function moved(at: Position, nodeId: string, now: Date): Position {
  return { ...at, nodeId, step: at.step + 1, enteredAt: now, isWoken: false };
}

function stepOf(
  node: GraphNode,
  at: Position,
  now: Date,
  visit: { does: string; until?: Date; branch?: string; result?: object; skipReason?: string; reason?: string },
): Step {
  const { does, until, result, skipReason, reason } = visit;
  return {
    number: at.step,
    nodeId: node.nodeId,
    type: node.type,
    outcome: does === 'wait' ? 'waiting' : 'done',
    input: {},
    result: { ...result, ...(until && { until }), ...(reason && { reason }) },
    skipReason: skipReason ?? null,
    startedAt: at.enteredAt,
    endedAt: does === 'wait' ? null : now,
  };
}
