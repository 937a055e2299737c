import { join } from 'node:path';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import { cpuByProcess } from './processes.ts';
import type { Measured } from './wrk.ts';

/** Starts to measure the CPU time that the fleet and its stores spend per response. */
export function countCost({ dir }: Pick<Place, 'dir'>): (runs: Pick<Measured, 'answers'>[]) => string {
  const before = cpuByProcess(join(dir, 'run'));
  return (runs) => {
    const answers = runs.reduce((all, run) => all + run.answers, 0);
    const spent = [...cpuByProcess(join(dir, 'run'))].map(([name, seconds]) => ({
      name,
      cost: ((seconds - (before.get(name) ?? 0)) / answers) * 1e6,
    }));
    const total = spent.reduce((all, { cost }) => all + cost, 0);
    const largest = spent.filter(({ cost }) => cost >= total / 50).sort((a, b) => b.cost - a.cost);
    return `${formatNumber(total)} µs of CPU time each (${largest.map(({ name, cost }) => `${name} ${formatNumber(cost)}`).join(', ')})`;
  };
}
