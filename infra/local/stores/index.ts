import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { Ports } from '../ports.ts';
import { type ProcessSpec, SupervisedProcess } from '../supervised.ts';
import { preparePostgres } from './postgres.ts';
import { prepareRabbit } from './rabbitmq.ts';
import { unreachable } from './reach.ts';
import { prepareRedis } from './redis.ts';
import type { PreparedStore, StoreContext } from './store.ts';

export interface StoreOptions {
  /** Folder for data, logs, ports and process records. Must be claimed first (`claimFolder`). */
  dir: string;
  log: (line: string) => void;
  /** Folder for unpacked Debian packages; in `dir` by default. */
  packagesDir?: string;
  ports?: Ports;
  /** False disables protection against power loss (fsync), for speed. */
  isDurable?: boolean;
  /** The user's own servers, used instead of private ones and never stopped; from the environment by default. */
  external?: ExternalStores;
  /** Aborts a start in progress. */
  signal?: AbortSignal;
}

type StoreName = 'postgres' | 'redis' | 'rabbitmq';

/** URLs of the user's own servers. */
export type ExternalStores = Partial<Record<StoreName, string | undefined>>;

/** URLs of running stores, and a function that stops the private ones. */
export interface Stores {
  adminDatabaseUrl: string;
  redisUrl: string;
  amqpUrl: string;
  /** URL of RabbitMQ's management API; undefined for the user's own server. */
  amqpManagementUrl: string | undefined;
  stop(): Promise<void>;
}

const preparers = { postgres: preparePostgres, redis: prepareRedis, rabbitmq: prepareRabbit };

/** The user's own servers, from the environment. */
export function externalStores(env: NodeJS.ProcessEnv = process.env): ExternalStores {
  return { postgres: env['DATABASE_URL'], redis: env['REDIS_URL'], rabbitmq: env['AMQP_URL'] };
}

/** Starts PostgreSQL, Redis and RabbitMQ concurrently. If one fails, all are stopped and its error is thrown. */
export async function startStores(options: StoreOptions): Promise<Stores> {
  const { urls, managementUrl, stop } = await startAll(['postgres', 'redis', 'rabbitmq'], options);
  return {
    adminDatabaseUrl: urls.postgres,
    redisUrl: urls.redis,
    amqpUrl: urls.rabbitmq,
    amqpManagementUrl: managementUrl,
    stop,
  };
}

/** Starts only PostgreSQL. */
export async function startPostgres(options: StoreOptions): Promise<Pick<Stores, 'adminDatabaseUrl' | 'stop'>> {
  const { urls, stop } = await startAll(['postgres'], options);
  return { adminDatabaseUrl: urls.postgres, stop };
}

async function startAll<Name extends StoreName>(
  names: Name[],
  options: StoreOptions,
): Promise<{ urls: Record<Name, string>; managementUrl: string | undefined; stop: () => Promise<void> }> {
  const {
    dir,
    log,
    packagesDir = join(dir, 'debian'),
    isDurable = true,
    external = externalStores(),
    signal,
  } = options;
  const ports = options.ports ?? new Ports(join(dir, 'ports.json'));
  const context: StoreContext = { dir, packagesDir, isDurable, log, ports };
  const running: SupervisedProcess[][] = [];
  let firstFailure: unknown;
  let managementUrl: string | undefined;
  const stop = async () => {
    await Promise.all(running.map(stopInReverse));
  };
  // The signal only aborts a start in progress: running stores are stopped by `stop`, after everything that uses them.
  const abort = () => void stop();
  signal?.addEventListener('abort', abort);
  const startOne = async (name: Name): Promise<[Name, string]> => {
    const url = external[name];
    if (url) return [name, await checkExternal(name, url, log)];
    const prepared: PreparedStore = await preparers[name](context);
    managementUrl ??= prepared.managementUrl;
    signal?.throwIfAborted();
    if (firstFailure) throw firstFailure;
    const processes: SupervisedProcess[] = [];
    running.push(processes);
    return [name, await start(prepared, { name, context, processes })];
  };
  const startOneOrStopAll = (name: Name) =>
    startOne(name).catch((error) => {
      // The other stores are not needed any more.
      void stop();
      firstFailure ??= error;
      throw error;
    });
  const results = await Promise.allSettled(names.map(startOneOrStopAll));
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
  const events = {
    died: (reason: string) => log(`${spec.name} ${reason}`),
    back: () => log(`${spec.name} is running again`),
  };
  return new SupervisedProcess(spec, { runDir: join(dir, 'run'), events });
}

const titles: Record<StoreName, string> = { postgres: 'PostgreSQL', redis: 'Redis', rabbitmq: 'RabbitMQ' };
const variables: Record<StoreName, string> = { postgres: 'DATABASE_URL', redis: 'REDIS_URL', rabbitmq: 'AMQP_URL' };

const schemes: Record<StoreName, readonly string[]> = {
  postgres: ['postgresql:', 'postgres:'],
  redis: ['redis:', 'rediss:'],
  rabbitmq: ['amqp:', 'amqps:'],
};

/**
 * Checks and reports the user's own server. An unreachable one fails now, because services would wait for it forever.
 */
async function checkExternal(name: StoreName, text: string, log: (line: string) => void): Promise<string> {
  const variable = variables[name];
  const form = `${schemes[name][0]}//user:password@host:port`;
  if (!URL.canParse(text) || !schemes[name].includes(new URL(text).protocol))
    throw new CommandError(`${variable} must be a URL of ${titles[name]}: ${variable}=${form}`);
  const url = new URL(text);
  const problem = await unreachable(url);
  if (problem) throw new CommandError(`Cannot connect to ${titles[name]} at ${url.host} (${variable}): ${problem}.`);
  log(`${titles[name]}: using your server at ${url.host} (${variable})`);
  return text;
}
