import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { becomesTrue, pause } from './becomes-true.ts';
import { CommandError } from './command-error.ts';
import { sessionMembers } from './proc.ts';
import { markVariable, type ProcessKind, removeRecord, signal, writeRecord } from './records.ts';

const linesKept = 20;
const firstRetryMs = 200;
const retryMsMax = 10_000;
// A process that ran this long was healthy, so the retry delay is reset.
const healthyAfterMs = 30_000;
// A starting process has nothing to finish, and RabbitMQ ignores the signal while it starts.
const stopStartingWithinMs = 5_000;

/** How to start a process, check its readiness, and stop it. */
export interface ProcessSpec {
  name: string;
  kind: ProcessKind;
  command: string[];
  env: Record<string, string | undefined>;
  cwd: string;
  uid?: number;
  gid?: number;
  isReady(): Promise<boolean>;
  readyWithinMs: number;
  stopSignal: NodeJS.Signals;
  stopWithinMs: number;
  /** Runs before every start and restart. */
  prepare?(): void | Promise<void>;
  /** Destination of its output. A store writes to a file, which works even after the supervisor has exited. */
  output: { file: string } | ((line: string) => void);
}

/** Events of a process after it was ready for the first time. */
export interface ProcessEvents {
  died(reason: string): void;
  back(): void;
}

/** A child process that is restarted when it exits, until `stop`. */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #runDir: string;
  readonly #events: ProcessEvents;
  #child: ChildProcess | undefined;
  #ended: Promise<string> | undefined;
  #lastLines: string[] = [];
  #isWanted = false;
  #isReady = false;
  #retryMs = firstRetryMs;

  constructor(spec: ProcessSpec, { runDir, events }: { runDir: string; events: ProcessEvents }) {
    this.spec = spec;
    this.#runDir = runDir;
    this.#events = events;
  }

  get name(): string {
    return this.spec.name;
  }

  /** Starts the process and waits until it is ready; if it fails, stops it and throws the reason. */
  async start(): Promise<void> {
    this.#isWanted = true;
    try {
      await this.#startOnce();
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (this.#isWanted) void this.#watch();
  }

  /** Stops the process and its descendants: sends the stop signal, then SIGKILL after the timeout. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    const { pid } = this.#child ?? {};
    if (pid === undefined || this.#ended === undefined) return;
    let isGone = false;
    void this.#ended.then(() => {
      isGone = true;
    });
    if (this.#child?.exitCode === null && this.#child.signalCode === null) signal(pid, this.spec.stopSignal);
    const withinMs = this.#isReady ? this.spec.stopWithinMs : Math.min(this.spec.stopWithinMs, stopStartingWithinMs);
    if (!(await becomesTrue(() => isGone, { withinMs, everyMs: 20 }))) signal(pid, 'SIGKILL');
    await this.#ended;
    this.#endDescendants(pid);
    removeRecord(this.#runDir, this.name);
  }

  async #startOnce(): Promise<void> {
    await this.spec.prepare?.();
    if (!this.#isWanted) throw new CommandError(`${this.name} was stopped before it started`);
    const startedAt = performance.now();
    const ended = this.#spawn();
    let reason: string | undefined;
    void ended.then((exitReason) => {
      reason = exitReason;
    });
    const { isReady, readyWithinMs, name } = this.spec;
    const isSettled = async () => reason !== undefined || !this.#isWanted || (await isReady());
    const settled = await becomesTrue(isSettled, { withinMs: readyWithinMs });
    if (!this.#isWanted) throw new CommandError(`${name} was stopped while starting`);
    this.#isReady = reason === undefined && settled;
    if (this.#isReady) return;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const what = reason === undefined ? `was not ready after ${seconds} s` : `${reason} while starting`;
    throw startFailure(`${name} ${what}`, this.#tail());
  }

  #spawn(): Promise<string> {
    const { command, cwd, uid, gid, output, kind, stopSignal, stopWithinMs, name } = this.spec;
    const [file, ...args] = command as [string, ...string[]];
    const log = typeof output === 'function' ? undefined : openLog(output.file);
    const env = { ...this.spec.env, [markVariable]: this.#runDir };
    // In its own session, so that Ctrl-C reaches only the supervisor, which stops all processes in order.
    const child = spawn(file, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: gid ?? uid }),
    });
    if (log !== undefined) closeSync(log);
    if (child.pid !== undefined) {
      writeRecord(this.#runDir, { name, kind, pid: child.pid, command, stopSignal, stopWithinMs });
    }
    this.#child = child;
    this.#isReady = false;
    this.#lastLines = [];
    for (const stream of [child.stdout, child.stderr]) if (stream) this.#follow(stream);
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(`could not be started (${error.message})`));
      child.once('exit', (code, by) => resolve(by ? `was terminated by ${by}` : `exited with code ${code}`));
    });
    return this.#ended;
  }

  #follow(stream: NodeJS.ReadableStream): void {
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      this.#lastLines.push(line);
      if (this.#lastLines.length > linesKept) this.#lastLines.shift();
      if (typeof this.spec.output === 'function') this.spec.output(line);
    });
  }

  /** Restarts the process with increasing delays until `stop`. */
  async #watch(): Promise<void> {
    while (this.#isWanted) {
      const startedAt = performance.now();
      const reason = await this.#ended;
      if (!this.#isWanted) return;
      if (performance.now() - startedAt > healthyAfterMs) this.#retryMs = firstRetryMs;
      this.#events.died(`${reason}; restarting it`);
      do {
        await pause(this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, retryMsMax);
      } while (this.#isWanted && !(await this.#restart()));
    }
  }

  async #restart(): Promise<boolean> {
    // Descendants of the exited process may still hold its port or files.
    if (this.#child?.pid !== undefined) this.#endDescendants(this.#child.pid);
    try {
      await this.#startOnce();
      if (this.#isWanted) this.#events.back();
      return true;
    } catch (error) {
      if (this.#child?.pid !== undefined && this.#child.exitCode === null) signal(this.#child.pid, 'SIGKILL');
      await this.#ended;
      if (this.#isWanted) this.#events.died(`${(error as Error).message}; trying again`);
      return false;
    }
  }

  #endDescendants(session: number): void {
    for (const { pid } of sessionMembers(session)) signal(pid, 'SIGKILL');
  }

  #tail(): string[] {
    if (typeof this.spec.output === 'function') return this.#lastLines;
    return readFileSync(this.spec.output.file, 'utf8').trimEnd().split('\n').slice(-linesKept);
  }
}

function startFailure(what: string, lines: string[]): CommandError {
  const isFull = lines.some((line) => /No space left|ENOSPC|enospc/.test(line));
  return new CommandError(isFull ? `${what}: the disk is full. Free up space and start again.` : `${what}.`, {
    lines,
  });
}

/** Truncates the log file on each start, so that it cannot grow without limit. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'w', 0o600);
}
