import { effectiveSettings, testStepsMax, type WorkflowSettings } from '@tandem/campaign-contract';
import type { Deed, Facts, LeadRecord } from './facts.ts';
import type { Graph, GraphNode } from './graph.ts';
import { exitWordOf, wakes } from './react.ts';
import { after, type Lengths } from './timing.ts';
import { moved, type Walked, walk } from './walk.ts';

/** The deeds of the lead in a simulation. */
export interface SimulatedEvent {
  event: string;
  nodeId?: string | undefined;
  /** The time after the message of the node, or after the start. */
  after: Lengths;
}

export interface Simulation {
  workflowId: number;
  graph: Graph;
  settings: WorkflowSettings;
  lead: LeadRecord;
  timezone: string;
  payload: Record<string, unknown>;
  segments: ReadonlySet<string>;
  startAt: Date;
  events: readonly SimulatedEvent[];
}

/** Simulates the effect of a node outside of the database. */
export type SimulatedEffect =
  | {
      is: 'done' | 'skipped' | 'failed';
      effect: Record<string, unknown>;
      skipReason?: string;
      isMessage?: boolean;
      /** The lead after the effect. */
      lead?: LeadRecord;
    }
  | { is: 'postponed'; until: Date; reason: string };

export interface SimulatedStep {
  nodeId: string;
  type: GraphNode['type'];
  outcome: 'done' | 'waiting' | 'skipped' | 'failed' | 'uncertain';
  startedAt: Date;
  endedAt: Date | null;
  branch: string | null;
  skipReason: string | null;
  effect: Record<string, unknown>;
}

export interface Simulated {
  end: 'completed' | 'exited' | 'failed' | 'unfinished';
  endReason: string | null;
  endedAt: Date;
  steps: SimulatedStep[];
}

type Perform = (at: { node: GraphNode; step: number; facts: Facts }) => Promise<SimulatedEffect>;

/**
 * Walks a graph for one lead in virtual time, with the walk of the engine.
 * @param perform tells what a node would do outside of the database
 */
export async function simulate(of: Simulation, perform: Perform): Promise<Simulated> {
  const { graph, timezone, payload, segments } = of;
  const settings = effectiveSettings(of.settings);
  const steps = new Map<number, SimulatedStep>();
  const deeds: Deed[] = [];
  const leftAt = new Map<string, Date>();
  let messageAt: Date | null = null;
  const pending: Deed[] = [];
  let { lead, startAt: now } = of;
  const expect = (nodeId: string | undefined) => {
    for (const one of of.events.filter((event) => event.nodeId === nodeId))
      pending.push({ type: one.event, nodeId: nodeId ?? null, at: after(now, one.after, timezone) });
    pending.sort((one, other) => one.at.getTime() - other.at.getTime());
  };
  const ended = (end: Simulated['end'], endReason: string | null): Simulated => ({
    end,
    endReason,
    endedAt: now,
    steps: [...steps.values()],
  });
  /** Lets time pass; the word of the event that ends the execution, or whether one that it waits for came. */
  const pass = (until: Date, waitsFor: string | null): { exit?: string; isWoken?: true } => {
    for (let next = pending[0]; next && next.at <= until; next = pending[0]) {
      pending.shift();
      deeds.push(next);
      if (next.at > now) now = next.at;
      const exit = exitWordOf(next.type, next.nodeId !== null);
      if (exit !== undefined && settings.exitOn?.some((word) => word === exit)) return { exit };
      if (waitsFor !== null && wakes(next.type, waitsFor)) return { isWoken: true };
    }
    if (until > now) now = until;
    return {};
  };
  expect(undefined);
  const trigger = graph.trigger as GraphNode;
  let position: Parameters<typeof walk>[1] = {
    executionId: 0,
    workflowId: of.workflowId,
    nodeId: trigger.nodeId,
    step: 1,
    enteredAt: now,
    isWoken: false,
  };
  // A step that is postponed is visited again, so the visits are limited too.
  for (let visits = 0; visits < 2 * testStepsMax && steps.size < testStepsMax; visits++) {
    const arrived = pass(now, null);
    if (arrived.exit !== undefined) return ended('exited', arrived.exit);
    const facts: Facts = { now, lead, timezone, deeds, history: { messageAt, leftAt }, payload, segments };
    const walked = walk(graph, position, facts, settings);
    for (const step of walked.steps) {
      steps.set(step.number, shown(step));
      const isWait = step.type === 'wait' || step.type === 'wait_for_event';
      if (isWait && step.outcome === 'done') leftAt.set(step.nodeId, now);
    }
    const { state } = walked;
    if (state.is === 'ended') return ended(state.status, state.reason);
    if (state.is === 'waiting') {
      const passed = pass(state.until, state.waitsFor);
      if (passed.exit !== undefined) return ended('exited', passed.exit);
      position = { ...positionOf(walked), isWoken: true };
      continue;
    }
    const { node } = state;
    const effect = await perform({ node, step: walked.step, facts });
    const base = { nodeId: node.nodeId, type: node.type, startedAt: walked.enteredAt, branch: null };
    if (effect.is === 'postponed') {
      steps.set(walked.step, {
        ...base,
        outcome: 'waiting',
        endedAt: null,
        skipReason: null,
        effect: { until: effect.until.toISOString(), reason: effect.reason },
      });
      const passed = pass(effect.until, null);
      if (passed.exit !== undefined) return ended('exited', passed.exit);
      position = positionOf(walked);
      continue;
    }
    const { is: outcome, skipReason = null } = effect;
    steps.set(walked.step, { ...base, outcome, endedAt: now, skipReason, effect: effect.effect });
    if (effect.is === 'failed') return ended('failed', 'failed');
    lead = effect.lead ?? lead;
    if (effect.is === 'done' && effect.isMessage) {
      messageAt = now;
      expect(node.nodeId);
    }
    const next = graph.next(node.nodeId);
    if (next === undefined) return ended('completed', 'completed');
    position = moved(positionOf(walked), next, now);
  }
  return ended('unfinished', null);
}

function positionOf({ executionId, workflowId, nodeId, step, enteredAt, isWoken }: Walked) {
  return { executionId, workflowId, nodeId, step, enteredAt, isWoken };
}

function shown({
  nodeId,
  type,
  outcome,
  result,
  skipReason,
  startedAt,
  endedAt,
}: Walked['steps'][number]): SimulatedStep {
  const { branch, variant } = result as { branch?: string; variant?: string };
  return {
    nodeId,
    type: type as GraphNode['type'],
    outcome,
    startedAt,
    endedAt,
    branch: branch ?? variant ?? null,
    skipReason,
    effect: {},
  };
}
