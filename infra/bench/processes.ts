import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecords } from '../local/records.ts';
import { type ProcessSpec, SupervisedProcess } from '../local/supervised.ts';

/** How to run one program for the length of a measurement. */
export interface Program extends Pick<ProcessSpec, 'name' | 'command' | 'isReady'> {
  env?: Record<string, string | undefined>;
  /** The core it may run on; any when absent. */
  core?: number;
}

/** The processes of a benchmark: started, found again by their number, and ended in reverse. */
export class Processes {
  readonly #dir: string;
  readonly #running: { process: SupervisedProcess; pid: () => number }[] = [];

  /** @param dir holds their logs and records; the next run ends what a killed one has left */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Starts a program and waits until it is ready. */
  async start({ name, command, env = {}, core, isReady }: Program): Promise<void> {
    const process = new SupervisedProcess(
      {
        ...{ name, kind: 'service', env, isReady, cwd: join(import.meta.dirname, '../..') },
        command: core === undefined ? command : ['taskset', '-c', String(core), ...command],
        ...{ readyWithinMs: 60_000, stopSignal: 'SIGTERM', stopWithinMs: 20_000 },
        output: { file: join(this.#dir, 'log', `${name}.log`) },
      },
      {
        runDir: join(this.#dir, 'run'),
        events: { died: (reason) => globalThis.process.stderr.write(`${name} ${reason}\n`), back() {} },
      },
    );
    this.#running.push({ process, pid: () => recordedPid(this.#dir, name) });
    await process.start();
  }

  pid(name: string): number {
    const found = this.#running.find(({ process }) => process.name === name);
    if (!found) throw new Error(`${name} does not run`);
    return found.pid();
  }

  async stop(...names: string[]): Promise<void> {
    for (const one of this.#running.filter(({ process }) => names.includes(process.name)).reverse()) {
      await one.process.stop();
      this.#running.splice(this.#running.indexOf(one), 1);
    }
  }

  async stopAll(): Promise<void> {
    await this.stop(...this.#running.map(({ process }) => process.name));
  }
}

/** Moves a running process, with all its threads and children, to one core, or to all of them. */
export function pin(pid: number, cores: string): void {
  for (const one of descendants(pid)) spawnSync('taskset', ['-acp', cores, String(one)], { stdio: 'ignore' });
}

/** A process and all that it started, also what left its session, as each connection of PostgreSQL does. */
export function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))[1]) }));
  const found = [pid];
  for (const one of found) found.push(...parents.filter(({ parent }) => parent === one).map((child) => child.pid));
  return found;
}

/** The fields behind the name in a process's stat file, none when it has ended. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** The processor time that a process has used so far with everything it started, in seconds. */
export function cpuSeconds(pid: number): number {
  // Its own, and that of children which have ended, such as connections of PostgreSQL: utime, stime, cutime and cstime.
  const ticks = descendants(pid).flatMap((one) => statOf(one).slice(11, 15).map(Number));
  return ticks.reduce((all, one) => all + one, 0) / ticksPerSecond;
}

/** The processor time of everything on record in a run folder so far, in seconds, by name. */
export function cpuByProcess(runDir: string): Map<string, number> {
  return new Map(readRecords(runDir).map(({ name, pid }) => [name, cpuSeconds(pid)]));
}

// What Linux counts in, on every machine that Node runs on.
const ticksPerSecond = 100;

/** The number of a process by its record. */
export function recordedPid(dir: string, name: string): number {
  return (JSON.parse(readFileSync(join(dir, 'run', `${name}.process.json`), 'utf8')) as { pid: number }).pid;
}
