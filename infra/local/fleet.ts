import { CommandError } from './command-error.ts';
import type { FleetEnvironment } from './environment.ts';
import { withUserEnvironment } from './environment.ts';
import { ownLine } from './log-lines.ts';
import { gatewayName, type Member } from './members.ts';
import { root, runDir } from './paths.ts';
import { endLeftovers } from './records.ts';
import { type ProcessSpec, SupervisedProcess } from './supervised.ts';

const readyWithinMs = 60_000;
const answerWithinMs = 2_000;
// Above the sum of the limits of a shutdown (packages/process/src/shutdown.ts).
const stopWithinMs = 30_000;

/** How to run the fleet. */
export interface FleetOptions {
  members: Member[];
  environment: FleetEnvironment;
  /** Where the records of its processes are kept; `.local/run` unless given. */
  runDir?: string;
  /** The member that is started again whenever its files change. */
  watched?: string | undefined;
  onLine(name: string, line: string): void;
}

/** The running gateway and services, from their start to their end. */
export class Fleet {
  readonly #processes: SupervisedProcess[];
  readonly #onLine: FleetOptions['onLine'];

  constructor(options: FleetOptions) {
    this.#onLine = options.onLine;
    this.#processes = options.members.map((member) =>
      this.#supervise(memberProcess(member, options), options.runDir ?? runDir),
    );
  }

  /** Starts everything side by side. When one fails, the others are not waited for and its reason is thrown. */
  async start(onReady: (name: string) => void): Promise<void> {
    await Promise.all(
      this.#processes.map(async (process) => {
        await process.start();
        onReady(process.name);
      }),
    );
  }

  /** Ends the gateway, so that no new request comes in, then the services. */
  async stop(): Promise<void> {
    const isGateway = (process: SupervisedProcess) => process.name === gatewayName;
    await Promise.all(this.#processes.filter(isGateway).map((process) => process.stop()));
    await Promise.all(this.#processes.filter((process) => !isGateway(process)).map((process) => process.stop()));
  }

  /** Ends one member, for another command to run it in our stead. */
  async release(name: string): Promise<void> {
    await this.#find(name).stop();
    this.#onLine(name, ownLine(`${name} is run by npm run dev now`));
  }

  /** Runs a released member again. */
  async takeBack(name: string): Promise<void> {
    // A command that was killed has left its process on our port.
    await endLeftovers(runDir, [name]);
    this.#onLine(name, ownLine(`${name} is run by npm start again`));
    await this.#find(name).start();
  }

  /** Ends one member and starts it with changed settings, as a rolling restart does. */
  async restart(name: string, settings: Record<string, string>): Promise<void> {
    const process = this.#find(name);
    await process.stop();
    Object.assign(process.spec.env, settings);
    await process.start();
  }

  #find(name: string): SupervisedProcess {
    const found = this.#processes.find((process) => process.name === name);
    if (!found) throw new CommandError(`the running fleet has no ${name}`);
    return found;
  }

  #supervise(spec: ProcessSpec, records: string): SupervisedProcess {
    const say = (message: string, level: 'info' | 'warn') =>
      this.#onLine(spec.name, ownLine(`${spec.name} ${message}`, level));
    return new SupervisedProcess(spec, {
      runDir: records,
      events: { died: (reason) => say(reason, 'warn'), back: () => say('is back', 'info') },
    });
  }
}

/** How one member is run; also by `npm run dev` on its own. */
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
    isReady: () => isReady(`http://127.0.0.1:${own['PORT']}/readyz`),
    readyWithinMs,
    stopSignal: 'SIGTERM',
    stopWithinMs,
    output: (line) => options.onLine(name, line),
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
