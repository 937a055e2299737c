import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { Ports } from '../ports.ts';
import { type ProcessSpec, SupervisedProcess } from '../supervised.ts';
import { preparePostgres } from './postgres.ts';
import { prepareRabbit } from './rabbitmq.ts';
import { unreachable } from './reach.ts';
import { prepareRedis } from './redis.ts';
import type { PreparedStore, StoreContext } from './store.ts';

/** How to bring up a set of stores. */
export interface StoreOptions {
  /** Holds their data, logs, ports and the records of their processes. Claim it first (`claimFolder`). */
  dir: string;
  log: (line: string) => void;
  /** Where Debian's packages are unpacked; by default in `dir`. */
  packagesDir?: string;
  ports?: Ports;
  /** False switches off what only matters after a power cut. */
  isDurable?: boolean;
  /** Servers of the user's own, used instead of private ones and left alone; by default from the environment. */
  given?: GivenStores;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
}

type StoreName = 'postgres' | 'redis' | 'rabbitmq';

/** The addresses of servers of the user's own. */
export type GivenStores = Partial<Record<StoreName, string | undefined>>;

/** Running stores: where they are, and how to end the private ones. */
export interface Stores {
  adminDatabaseUrl: string;
  redisUrl: string;
  amqpUrl: string;
  /** RabbitMQ's management API; undefined for a server of the user's own. */
  amqpManagementUrl: string | undefined;
  stop(): Promise<void>;
}

const makers = { postgres: preparePostgres, redis: prepareRedis, rabbitmq: prepareRabbit };

/** The user's own servers, as the environment names them. */
export function givenStores(env: NodeJS.ProcessEnv = process.env): GivenStores {
  return { postgres: env['DATABASE_URL'], redis: env['REDIS_URL'], rabbitmq: env['AMQP_URL'] };
}

/** Brings up PostgreSQL, Redis and RabbitMQ side by side. If one fails, all are ended and its reason is thrown. */
export async function startStores(options: StoreOptions): Promise<Stores> {
  const { urls, managementUrl, stop } = await bringUp(['postgres', 'redis', 'rabbitmq'], options);
  return {
    adminDatabaseUrl: urls.postgres,
    redisUrl: urls.redis,
    amqpUrl: urls.rabbitmq,
    amqpManagementUrl: managementUrl,
    stop,
  };
}

/** Brings up PostgreSQL alone. */
export async function startPostgres(options: StoreOptions): Promise<Pick<Stores, 'adminDatabaseUrl' | 'stop'>> {
  const { urls, stop } = await bringUp(['postgres'], options);
  return { adminDatabaseUrl: urls.postgres, stop };
}

async function bringUp<Name extends StoreName>(
  names: Name[],
  options: StoreOptions,
): Promise<{ urls: Record<Name, string>; managementUrl: string | undefined; stop: () => Promise<void> }> {
  const { dir, log, packagesDir = join(dir, 'debian'), isDurable = true, given = givenStores(), signal } = options;
  const ports = options.ports ?? new Ports(join(dir, 'ports.json'));
  const context: StoreContext = { dir, packagesDir, isDurable, log, ports };
  const running: SupervisedProcess[][] = [];
  let firstFailure: unknown;
  let managementUrl: string | undefined;
  const stop = async () => {
    await Promise.all(running.map(stopInReverse));
  };
  // Only a start under way ends by the signal: running stores end by `stop`, after everything that uses them.
  const abort = () => void stop();
  signal?.addEventListener('abort', abort);
  const one = async (name: Name): Promise<[Name, string]> => {
    const url = given[name];
    if (url) return [name, await reportGiven(name, url, log)];
    const prepared: PreparedStore = await makers[name](context);
    managementUrl ??= prepared.managementUrl;
    signal?.throwIfAborted();
    if (firstFailure) throw firstFailure;
    const processes: SupervisedProcess[] = [];
    running.push(processes);
    return [name, await start(prepared, { name, context, processes })];
  };
  const oneOrNone = (name: Name) =>
    one(name).catch((error) => {
      // The others need not become ready any more.
      void stop();
      firstFailure ??= error;
      throw error;
    });
  const results = await Promise.allSettled(names.map(oneOrNone));
  signal?.removeEventListener('abort', abort);
  if (firstFailure || signal?.aborted) {
    await stop();
    throw firstFailure ?? signal?.reason;
  }
  const entries = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  return { urls: Object.fromEntries(entries) as Record<Name, string>, managementUrl, stop };
}

async function start(
  { url, processes }: PreparedStore,
  { name, context, processes: running }: { name: StoreName; context: StoreContext; processes: SupervisedProcess[] },
): Promise<string> {
  const startedAt = performance.now();
  for (const spec of processes) {
    const process = supervise(spec, context);
    running.push(process);
    await process.start();
  }
  context.log(
    `${titles[name]} ready on port ${new URL(url).port} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
  return url;
}

async function stopInReverse(processes: SupervisedProcess[]): Promise<void> {
  for (const process of processes.toReversed()) await process.stop();
}

function supervise(spec: ProcessSpec, { dir, log }: StoreContext): SupervisedProcess {
  const events = { died: (reason: string) => log(`${spec.name} ${reason}`), back: () => log(`${spec.name} is back`) };
  return new SupervisedProcess(spec, { runDir: join(dir, 'run'), events });
}

const titles: Record<StoreName, string> = { postgres: 'PostgreSQL', redis: 'Redis', rabbitmq: 'RabbitMQ' };
const variables: Record<StoreName, string> = { postgres: 'DATABASE_URL', redis: 'REDIS_URL', rabbitmq: 'AMQP_URL' };

const schemes: Record<StoreName, readonly string[]> = {
  postgres: ['postgresql:', 'postgres:'],
  redis: ['redis:', 'rediss:'],
  rabbitmq: ['amqp:', 'amqps:'],
};

/** Says whose server it is. One that is not there is told now: the services would wait for it without end. */
async function reportGiven(name: StoreName, text: string, log: (line: string) => void): Promise<string> {
  const variable = variables[name];
  const form = `${schemes[name][0]}//user:password@host:port`;
  if (!URL.canParse(text) || !schemes[name].includes(new URL(text).protocol))
    throw new CommandError(`${variable} is not an address of ${titles[name]}: ${variable}=${form}`);
  const url = new URL(text);
  const problem = await unreachable(url);
  if (problem) throw new CommandError(`${titles[name]} cannot be reached at ${url.host} (${variable}): ${problem}.`);
  log(`${titles[name]}: yours at ${url.host} (${variable})`);
  return text;
}
