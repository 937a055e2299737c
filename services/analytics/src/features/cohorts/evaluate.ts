import { readInteger, readTime, rowBytes } from '../timelines/timeline.ts';

/** The leads of cohorts and what they did, as packed rows (timeline.ts). Times are in milliseconds. */
export interface CohortInput {
  /** Of each lead when it began; the value is the number of its source. */
  leads: Uint8Array;
  /** What leads did; the value is the position of its amount. */
  done: Uint8Array;
  /** Without it, each lead counts once in a period. */
  amounts?: Float64Array;
  /** The beginnings of the intervals in which leads begin, and of those after them until the last period has ended. */
  boundaries: Float64Array;
  /** How many intervals have leads that begin in them. */
  intervals: number;
  periods: number;
  /** How many sources there are; without it, a cohort is an interval. */
  sources?: number;
  now: number;
}

export interface CohortCounts {
  size: number;
  /** With cohorts by source: the number of leads whose period has ended, for each period. */
  sizes?: number[];
  values: (number | null)[];
}

/** Evaluates cohorts: one for each interval or source. */
export function evaluateCohorts(input: CohortInput): CohortCounts[] {
  const { boundaries, intervals, periods, sources, amounts, now } = input;
  const cohorts = Array.from({ length: sources ?? intervals }, () => ({
    size: 0,
    sizes: new Array<number>(periods).fill(0),
    values: new Array<number>(periods).fill(0),
  }));
  const hasEnded = (begun: number, period: number) => (boundaries[begun + period + 1] as number) <= now;
  const members = new Map<number, { cohort: number; begun: number; seen: number }>();
  eachRow(input.leads, (lead, time, source) => {
    const begun = intervalAt(boundaries, time);
    const cohort = sources === undefined ? begun : source;
    members.set(lead, { cohort, begun, seen: 0 });
    const counts = cohorts[cohort];
    if (!counts) return;
    counts.size++;
    for (let period = 0; period < periods && hasEnded(begun, period); period++) (counts.sizes[period] as number)++;
  });
  eachRow(input.done, (lead, time, position) => {
    const member = members.get(lead);
    if (!member) return;
    const period = intervalAt(boundaries, time) - member.begun;
    if (period < 0 || period >= periods || !hasEnded(member.begun, period)) return;
    const values = cohorts[member.cohort]?.values;
    if (!values) return;
    if (amounts) values[period] = (values[period] as number) + (amounts[position] as number);
    else if (((member.seen >>> period) & 1) === 0) {
      // At most 24 periods, so each has a bit.
      member.seen |= 1 << period;
      values[period] = (values[period] as number) + 1;
    }
  });
  return cohorts.map(({ size, sizes, values }, cohort) => {
    // The leads of a source began in all intervals, so a period has ended for some of them only.
    if (sources !== undefined) return { size, sizes, values: values.map((value, at) => (sizes[at] ? value : null)) };
    return { size, values: values.map((value, period) => (hasEnded(cohort, period) ? value : null)) };
  });
}

/** The number of the interval of a time; -1 before the first one. */
function intervalAt(boundaries: Float64Array, time: number): number {
  let [low, high] = [0, boundaries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((boundaries[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function eachRow(rows: Uint8Array, visit: (lead: number, time: number, value: number) => void): void {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let offset = 0; offset < rows.byteLength; offset += rowBytes)
    visit(readInteger(view, offset), readTime(view, offset + 8), view.getUint32(offset + 16));
}
