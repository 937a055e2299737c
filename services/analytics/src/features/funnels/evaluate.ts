import { type Timelines, timelinesOf } from '../timelines/timeline.ts';

export const orders = ['ordered', 'strict', 'any'] as const;
export type Order = (typeof orders)[number];

/** How a funnel is evaluated. Times are in milliseconds. */
export interface FunnelPlan {
  steps: number;
  order: Order;
  /** The first step must be within the period: from `from`, and before `to`. */
  from: number;
  to: number;
  /** The longest time from the first step to the last one. */
  window: number;
  now: number;
}

/**
 * The leads of a funnel as rows, as `timelinesOf` reads them. Bit n of a value is set if the entry is step n; `excludeBit` if it
 * ends the attempts before it.
 */
export interface FunnelInput extends FunnelPlan {
  rows: Uint8Array;
  /** The groups of a breakdown: which lead is in which group. Leads without an entry are in none. */
  groups?: { leads: Float64Array; groups: Uint16Array; count: number };
}

export const excludeBit = 31;

/** How far the leads of one group got. */
export interface FunnelCounts {
  /** How many leads reached each step. */
  counts: number[];
  /** Of each step, the median of the seconds since the step before; null if nobody reached it, and for the first step. */
  medianSeconds: (number | null)[];
  /** How many leads have not reached the last step, but are still within the window of an attempt. */
  pending: number;
}

/** Evaluates a funnel for all leads, and for each group. Each lead counts once, by the attempt that gets furthest. */
export function evaluateFunnel({ rows, groups, ...plan }: FunnelInput): FunnelCounts[] {
  const timelines = timelinesOf(rows);
  const groupOf = new Map(
    groups ? Array.from(groups.leads, (lead, index) => [lead, groups.groups[index] as number]) : [],
  );
  const tallies = Array.from({ length: 1 + (groups?.count ?? 0) }, () => createTally(plan));
  const evaluate = plan.order === 'any' ? anyOrder : inOrder;
  for (let lead = 0; lead + 1 < timelines.starts.length; lead++) {
    const attempt = evaluate(timelines, lead, plan);
    tallies[0]?.add(attempt);
    const group = groupOf.get(timelines.leads[lead] as number);
    if (group !== undefined) tallies[1 + group]?.add(attempt);
  }
  return tallies.map((tally) => tally.counts());
}

/** How far a lead got. */
interface Attempt {
  /** The times of the steps that the best attempt reached. */
  times: readonly number[];
  isPending: boolean;
}

interface Reached {
  start: number;
  times: readonly number[];
}

/**
 * Of each step, the attempt that reached it and began last is kept: it stays in the window longest, so no other one gets further.
 * The best attempt is the one that is first to reach the furthest step; of those that reach it at once, the one that began last.
 * In strict order an attempt continues from the entry just before.
 */
function inOrder({ starts, times, values }: Timelines, lead: number, plan: FunnelPlan): Attempt {
  const { steps, order, from, to, window } = plan;
  let reached: (Reached | undefined)[] = [];
  let best: readonly number[] = [];
  for (let place = starts[lead] as number; place < (starts[lead + 1] as number); place++) {
    const [time, value] = [times[place] as number, values[place] as number];
    if (isSet(value, excludeBit)) {
      reached = [];
      continue;
    }
    const before = reached;
    if (order === 'strict') reached = [];
    // From the last step to the first, so that one entry does not count for two steps of an attempt.
    for (let step = steps - 1; step >= 0; step--) {
      if (!isSet(value, step)) continue;
      const next = step ? continued(before[step - 1], time, window) : begun(time, { from, to });
      if (!next || (reached[step]?.start ?? Number.NEGATIVE_INFINITY) >= next.start) continue;
      reached[step] = next;
      if (next.times.length > best.length) best = next.times;
    }
  }
  const isOpen = reached.some((attempt) => attempt && attempt.start + window > plan.now);
  return { times: best, isPending: best.length > 0 && best.length < steps && isOpen };
}

function begun(time: number, { from, to }: { from: number; to: number }): Reached | undefined {
  return time >= from && time < to ? { start: time, times: [time] } : undefined;
}

function continued(attempt: Reached | undefined, time: number, window: number): Reached | undefined {
  if (!attempt || time - attempt.start > window) return undefined;
  return { start: attempt.start, times: [...attempt.times, time] };
}

/**
 * Steps in any order. An entry that is several steps counts as the first of them. The best attempt is the first moment at which
 * most steps happened within the window before it, at least one of them in the period; of each step its latest time counts.
 */
function anyOrder({ starts, times, values }: Timelines, lead: number, plan: FunnelPlan): Attempt {
  const { steps, from, to, window } = plan;
  const nothing = () => new Array<number>(steps).fill(Number.NEGATIVE_INFINITY);
  // The latest time of each step within the period, and after it.
  let [inPeriod, later] = [nothing(), nothing()];
  let best: readonly number[] = [];
  for (let place = starts[lead] as number; place < (starts[lead + 1] as number); place++) {
    const [time, value] = [times[place] as number, values[place] as number];
    if (isSet(value, excludeBit)) {
      [inPeriod, later] = [nothing(), nothing()];
      continue;
    }
    if (time < from) continue;
    (time < to ? inPeriod : later)[firstStep(value, steps)] = time;
    const first = Math.max(...inPeriod);
    if (first < time - window) continue;
    const latest = later.map((at, step) => Math.max(at, inPeriod[step] as number));
    if (latest.every((at) => at >= to)) latest[inPeriod.indexOf(first)] = first;
    const within = latest.filter((at) => at >= time - window);
    if (within.length > best.length) best = within.sort((a, b) => a - b);
  }
  const isOpen = inPeriod.some((at) => at + window > plan.now);
  return { times: best, isPending: best.length > 0 && best.length < steps && isOpen };
}

function firstStep(value: number, steps: number): number {
  for (let step = 0; step < steps; step++) if (isSet(value, step)) return step;
  return steps;
}

function isSet(value: number, bit: number): boolean {
  return ((value >>> bit) & 1) === 1;
}

/** Adds up attempts. */
function createTally({ steps }: FunnelPlan) {
  const counts = new Array<number>(steps).fill(0);
  const gaps: number[][] = counts.map(() => []);
  let pending = 0;
  return {
    add({ times, isPending }: Attempt) {
      times.forEach((time, step) => {
        (counts[step] as number)++;
        if (step) gaps[step]?.push(time - (times[step - 1] as number));
      });
      if (isPending) pending++;
    },
    counts: (): FunnelCounts => ({ counts, medianSeconds: gaps.map(medianSeconds), pending }),
  };
}

/** The median of times in milliseconds: the mean of the two in the middle of an even number of values. */
function medianSeconds(times: number[]): number | null {
  if (!times.length) return null;
  const sorted = Float64Array.from(times).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  const lower = sorted.length % 2 ? upper : (sorted[middle - 1] as number);
  return (lower + upper) / 2_000;
}
