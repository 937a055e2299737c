import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecords } from '../local/records.ts';
import { type ProcessSpec, SupervisedProcess } from '../local/supervised.ts';

/** How to run a program for the duration of a measurement. */
export interface Program extends Pick<ProcessSpec, 'name' | 'command' | 'isReady'> {
  env?: Record<string, string | undefined>;
  /** The core it may run on; any if absent. */
  core?: number;
}

/** The processes of a benchmark; stopped in reverse order of their start. */
export class Processes {
  readonly #dir: string;
  readonly #running: { process: SupervisedProcess; pid: () => number }[] = [];

  /** @param dir folder for logs and process records, by which the next run stops processes left by a killed one */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Starts a program and waits until it is ready. */
  async start({ name, command, env = {}, core, isReady }: Program): Promise<void> {
    const process = new SupervisedProcess(
      {
        name,
        kind: 'service',
        env,
        isReady,
        cwd: join(import.meta.dirname, '../..'),
        command: core === undefined ? command : ['taskset', '-c', String(core), ...command],
        readyWithinMs: 60_000,
        stopSignal: 'SIGTERM',
        stopWithinMs: 20_000,
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
    if (!found) throw new Error(`${name} is not running`);
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

/** Pins a running process with all its threads and descendants to the given cores. */
export function pin(pid: number, cores: string): void {
  for (const one of descendants(pid)) spawnSync('taskset', ['-acp', cores, String(one)], { stdio: 'ignore' });
}

/** A process and its descendants, including those in other sessions, such as PostgreSQL backends. */
export function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: Number(statOf(Number(name))[1]) }));
  const found = [pid];
  for (const one of found) found.push(...parents.filter(({ parent }) => parent === one).map((child) => child.pid));
  return found;
}

/** The fields after the name in a process's stat file; empty if the process has exited. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** The CPU time used so far by a process and its descendants, in seconds. */
export function cpuSeconds(pid: number): number {
  // utime, stime, and cutime and cstime of exited children, such as PostgreSQL backends.
  const ticks = descendants(pid).flatMap((one) => statOf(one).slice(11, 15).map(Number));
  return ticks.reduce((all, one) => all + one, 0) / ticksPerSecond;
}

/** The CPU time of every recorded process of a run folder so far, in seconds, by name. */
export function cpuByProcess(runDir: string): Map<string, number> {
  return new Map(readRecords(runDir).map(({ name, pid }) => [name, cpuSeconds(pid)]));
}

// USER_HZ, which is 100 on every Linux platform that Node supports.
const ticksPerSecond = 100;

/** The pid in a process record. */
export function recordedPid(dir: string, name: string): number {
  return (JSON.parse(readFileSync(join(dir, 'run', `${name}.process.json`), 'utf8')) as { pid: number }).pid;
}
