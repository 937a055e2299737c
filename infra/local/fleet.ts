import { CommandError } from './command-error.ts';
import type { FleetEnvironment } from './environment.ts';
import { withUserEnvironment } from './environment.ts';
import { ownLine } from './log-lines.ts';
import { gatewayName, type Member } from './members.ts';
import { root, runDir } from './paths.ts';
import { isFree } from './ports.ts';
import { endLeftovers } from './records.ts';
import { type ProcessSpec, SupervisedProcess } from './supervised.ts';

const readyWithinMs = 60_000;
const readyTimeoutMs = 2_000;
// Above the sum of the shutdown timeouts (packages/process/src/shutdown.ts).
const stopWithinMs = 30_000;

/** How to run the fleet. */
export interface FleetOptions {
  members: Member[];
  environment: FleetEnvironment;
  /** Folder for process records; `.local/run` by default. */
  runDir?: string;
  /** The member that restarts when its files change. */
  watched?: string | undefined;
  onLine(name: string, line: string): void;
}

/** Starts, supervises and stops the gateway and the services. */
export class Fleet {
  readonly #processes: SupervisedProcess[];
  readonly #onLine: FleetOptions['onLine'];

  constructor(options: FleetOptions) {
    this.#onLine = options.onLine;
    this.#processes = options.members.map((member) =>
      this.#supervise(memberProcess(member, options), options.runDir ?? runDir),
    );
  }

  /** Starts all processes concurrently; rejects with the first failure without waiting for the others. */
  async start(onReady: (name: string) => void): Promise<void> {
    await Promise.all(
      this.#processes.map(async (process) => {
        await process.start();
        onReady(process.name);
      }),
    );
  }

  /** Stops the gateway first, so that no new requests arrive, then the services. */
  async stop(): Promise<void> {
    const isGateway = (process: SupervisedProcess) => process.name === gatewayName;
    await Promise.all(this.#processes.filter(isGateway).map((process) => process.stop()));
    await Promise.all(this.#processes.filter((process) => !isGateway(process)).map((process) => process.stop()));
  }

  /** Stops one member, so that another command can run it. */
  async release(name: string): Promise<void> {
    await this.#find(name).stop();
    this.#onLine(name, ownLine(`${name} is now run by npm run dev`));
  }

  /** Starts a released member again. */
  async takeBack(name: string): Promise<void> {
    // A killed command may have left its process on the member's port.
    await endLeftovers(runDir, [name]);
    this.#onLine(name, ownLine(`${name} is run by npm start again`));
    await this.#find(name).start();
  }

  /** Restarts one member with changed settings, as a rolling restart does. */
  async restart(name: string, settings: Record<string, string>): Promise<void> {
    const process = this.#find(name);
    await process.stop();
    Object.assign(process.spec.env, settings);
    await process.start();
  }

  #find(name: string): SupervisedProcess {
    const found = this.#processes.find((process) => process.name === name);
    if (!found) throw new CommandError(`the running fleet has no service ${name}`);
    return found;
  }

  #supervise(spec: ProcessSpec, records: string): SupervisedProcess {
    const say = (message: string, level: 'info' | 'warn') =>
      this.#onLine(spec.name, ownLine(`${spec.name} ${message}`, level));
    return new SupervisedProcess(spec, {
      runDir: records,
      events: { died: (reason) => say(reason, 'warn'), back: () => say('is running again', 'info') },
    });
  }
}

/** The process of one member, also used by `npm run dev`. */
export function memberProcess({ name, entry, nodeFlags }: Member, options: FleetOptions): ProcessSpec {
  const own = options.environment[name] ?? {};
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...nodeFlags,
    ...(options.watched === name ? ['--watch', '--watch-preserve-output'] : []),
  ];
  return {
    name,
    kind: 'service',
    command: [process.execPath, ...flags, entry],
    env: withUserEnvironment(own),
    cwd: root,
    // Otherwise a program that answers on this port would be taken for the member.
    async prepare() {
      const port = Number(own['PORT']);
      if (!(await isFree(port))) throw new CommandError(`${name} cannot start: another program uses its port ${port}`);
    },
    isReady: () => isReady(`http://127.0.0.1:${own['PORT']}/readyz`),
    readyWithinMs,
    stopSignal: 'SIGTERM',
    stopWithinMs,
    output: (line) => options.onLine(name, line),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(readyTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
