import { rowBytes } from '../timelines/timeline.ts';
import { evaluateFunnel, excludeBit, type FunnelPlan, orders } from './evaluate.ts';

interface Entry {
  lead: number;
  time: number;
  value: number;
}

/** Rows as PostgreSQL packs them. */
function packed(entries: readonly Entry[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(entries.length * rowBytes));
  entries.forEach(({ lead, time, value }, row) => {
    view.setBigInt64(row * rowBytes, BigInt(lead));
    view.setBigInt64(row * rowBytes + 8, BigInt(time - Date.UTC(2000, 0, 1)) * 1_000n);
    view.setUint32(row * rowBytes + 16, value);
  });
  return new Uint8Array(view.buffer);
}

const has = (value: number, bit: number) => ((value >>> bit) & 1) === 1;
const excluded = 2 ** excludeBit;

/** What one lead reached, by trying every attempt: the times of its best one, and whether one can still get further. */
function tryEverything(entries: Entry[], plan: FunnelPlan): { times: number[]; isPending: boolean } {
  const { steps, order, from, to, window, now } = plan;
  const isFirst = ({ time }: Entry) => time >= from && time < to;
  let best = { times: [] as number[], at: 0, start: 0 };
  let isOpen = false;
  entries.forEach((first, start) => {
    if (order === 'any') {
      // Every moment, with all steps in the window before it and after the last exclusion.
      const since = entries.findLastIndex(({ value }, at) => at <= start && has(value, excludeBit));
      if (since === start) return;
      const within = entries
        .slice(since + 1, start + 1)
        .filter(({ time }) => time >= from && first.time - time <= window);
      const done = new Set(
        within.map(({ value }) => Array.from({ length: steps }, (_, step) => step).find((step) => has(value, step))),
      );
      if (within.some(isFirst) && done.size > best.times.length)
        best = { times: new Array(done.size).fill(0), at: start, start };
      return;
    }
    if (!has(first.value, 0) || has(first.value, excludeBit) || !isFirst(first)) return;
    const times = [first.time];
    let [at, last] = [start, start];
    for (at = start + 1; at < entries.length && times.length < steps; at++) {
      const { time, value } = entries[at] as Entry;
      if (has(value, excludeBit)) break;
      const fits = has(value, times.length) && time - first.time <= window;
      if (fits) {
        times.push(time);
        last = at;
      } else if (order === 'strict') break;
    }
    const isBetter =
      times.length > best.times.length ||
      (times.length === best.times.length && (last < best.at || (last === best.at && first.time > best.start)));
    if (isBetter) best = { times, at: last, start: first.time };
    const ended = entries.slice(start + 1).some(({ value }) => has(value, excludeBit));
    const isAlive = order === 'strict' ? last === entries.length - 1 && times.length < steps : !ended;
    if (isAlive && first.time + window > now) isOpen = true;
  });
  if (order === 'any') {
    const since = entries.findLastIndex(({ value }) => has(value, excludeBit));
    isOpen = entries.slice(since + 1).some((entry) => isFirst(entry) && entry.time + window > now);
  }
  return { times: best.times, isPending: best.times.length > 0 && best.times.length < steps && isOpen };
}

/** A generator of pseudo-random integers, so that a failure can be repeated. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each(orders)('a funnel in the order %s', (order) => {
  it('counts what trying every attempt of every lead finds, over random events', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const below = random(seed);
      const steps = 2 + below(4);
      const plan: FunnelPlan = { steps, order, from: 20, to: 60, window: 5 + below(40), now: 70 + below(30) };
      const entries = Array.from({ length: below(120) }, (): Entry => {
        const step = 2 ** below(steps);
        const value = below(12) === 0 ? excluded : below(5) ? step : step | (2 ** below(steps));
        return { lead: 1 + below(6), time: 10 + below(90), value: value >>> 0 };
      });
      const expected = [...Map.groupBy(entries, ({ lead }) => lead)].map(([, ofLead]) =>
        tryEverything(
          ofLead.sort((a, b) => a.time - b.time || a.value - b.value),
          plan,
        ),
      );
      const [counts] = evaluateFunnel({ rows: packed(entries), ...plan });
      const reached = Array.from(
        { length: steps },
        (_, step) => expected.filter(({ times }) => times.length > step).length,
      );
      expect([seed, counts?.counts, counts?.pending]).toEqual([
        seed,
        reached,
        expected.filter(({ isPending }) => isPending).length,
      ]);
      if (order === 'any') continue;
      const gaps = expected.flatMap(({ times }) =>
        times.length > 1 ? [(times[1] as number) - (times[0] as number)] : [],
      );
      const middle = gaps.sort((a, b) => a - b);
      const [low, high] = [middle[(middle.length - 1) >> 1], middle[middle.length >> 1]];
      const median = low === undefined || high === undefined ? null : (low + high) / 2_000;
      expect([seed, counts?.medianSeconds[1]]).toEqual([seed, median]);
    }
  });
});

describe('a funnel', () => {
  const plan: FunnelPlan = { steps: 2, order: 'ordered', from: 0, to: 100, window: 10, now: 1_000 };
  const counts = (entries: Entry[], changed: Partial<FunnelPlan> = {}) =>
    evaluateFunnel({ rows: packed(entries), ...plan, ...changed })[0]?.counts;
  const visit = { lead: 1, value: 1 };
  const reply = { lead: 1, value: 2 };

  it('counts a lead once, however often it repeats the steps', () => {
    const again = [0, 20, 40].flatMap((time) => [
      { ...visit, time },
      { ...reply, time: time + 1 },
    ]);
    expect(counts(again)).toEqual([1, 1]);
  });

  it('measures the window from the first step, and accepts the last step at its end and after the period', () => {
    expect(
      counts([
        { ...visit, time: 95 },
        { ...reply, time: 105 },
      ]),
    ).toEqual([1, 1]);
    expect(
      counts([
        { ...visit, time: 95 },
        { ...reply, time: 106 },
      ]),
    ).toEqual([1, 0]);
    expect(
      counts([
        { ...visit, time: 100 },
        { ...reply, time: 101 },
      ]),
    ).toEqual([0, 0]);
  });

  it('needs two entries for the same step twice', () => {
    expect(counts([{ lead: 1, time: 1, value: 3 }])).toEqual([1, 0]);
    expect(
      counts([
        { lead: 1, time: 1, value: 3 },
        { lead: 1, time: 2, value: 3 },
      ]),
    ).toEqual([1, 1]);
  });

  it('counts each lead in the group that it belongs to, and a lead of no group in none', () => {
    const rows = packed(
      [1, 2, 3].flatMap((lead) => [{ lead, time: 1, value: 1 }, ...(lead === 3 ? [] : [{ lead, time: 2, value: 2 }])]),
    );
    const groups = { leads: Float64Array.of(2, 3), groups: Uint16Array.of(1, 1), count: 2 };
    expect(evaluateFunnel({ rows, groups, ...plan }).map((one) => one.counts)).toEqual([
      [3, 2],
      [0, 0],
      [2, 1],
    ]);
  });
});
