import { join } from 'node:path';
import { shown } from './numbers.ts';
import type { Place } from './place.ts';
import { cpuByProcess } from './processes.ts';
import type { Measured } from './wrk.ts';

/** What processor time the fleet and its stores spend on each answer of some runs, in microseconds. */
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
    return `${shown(total)} µs of processor each (${largest.map(({ name, cost }) => `${name} ${shown(cost)}`).join(', ')})`;
  };
}
