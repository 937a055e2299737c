import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, createClient } from '@tandem/client/public';
import { fleet as contracts } from '@tandem/gateway/contracts';
import { fleetEnvironment } from '@tandem/local/environment';
import { Fleet } from '@tandem/local/fleet';
import { findMembers, gatewayName } from '@tandem/local/members';
import { anyFreePort } from '@tandem/local/ports';
import { loadSecrets } from '@tandem/local/secrets';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { removeQueues, until } from '@tandem/testing';
import { cloneDatabase } from '@tandem/tooling';
import { type Balancer, isReady, startBalancer } from './balancer.ts';
import { startPooler } from './pooler.ts';

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The operations of all services. */
export const operations = Object.assign({}, ...Object.values(contracts)) as Intersection<
  (typeof contracts)[keyof typeof contracts]
>;

type Credentials = Parameters<typeof createClient>[0]['credentials'];

/** Gateway and services as separate processes with their own databases. */
export interface TestFleet {
  baseUrl: string;
  /** Receives the mail of the fleet. */
  mailbox: Mailbox;
  /** The settings of each process. */
  environment: Record<string, Record<string, string>>;
  api(credentials?: Credentials): ApiClient<typeof operations>;
  /** The process id of a member. */
  pid(name: string): number;
  /** Sends SIGKILL; the supervisor restarts the member. */
  kill(name: string): void;
  /** Restarts a member with changed settings. */
  restart(name: string, settings: Record<string, string>): Promise<void>;
  /**
   * Sends SIGTERM; the supervisor restarts the member. Resolves with exit (`exited with code 0`), duration, and the
   * lines that the member logged meanwhile at level error.
   */
  terminate(name: string): Promise<{ end: string; ms: number; errors: string[] }>;
  /** Whether a member answers /readyz with 200. */
  ready(name: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** The stores of a fleet; those of `npm test` by default. */
interface StorePlace {
  adminDatabaseUrl: string;
  redisUrl: string;
  amqpUrl: string;
  amqpManagementUrl?: string | undefined;
}

/** Limits that no test reaches, and timeouts that a loaded machine does not exceed. */
const generousSettings = {
  REDIS_TIMEOUT_MS: '10000',
  ANONYMOUS_RATE_PER_MINUTE: '100000',
  FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
};

/**
 * Starts the whole fleet and waits until it is ready.
 * @param options.env additional settings for every process
 * @param options.services the services to run; all by default. The gateway returns 503 for the others
 * @param options.pooled connections per role; starts PgBouncer in transaction mode in front of PostgreSQL
 * @param options.gateways number of gateways; `baseUrl` is that of the first
 * @param options.instances number of instances by service, behind a load balancer; the second one of crm is `crm2`
 * @param options.probeEveryMs interval of the load balancer's readiness probes; no probes by default
 */
export async function startFleet(
  options: {
    env?: Record<string, string>;
    stores?: StorePlace;
    gateways?: number;
    services?: readonly string[];
    pooled?: number;
    instances?: Readonly<Record<string, number>>;
    probeEveryMs?: number;
  } = {},
): Promise<TestFleet> {
  const id = randomBytes(6).toString('hex');
  const namespace = `e2e-${id}`;
  const dir = join(process.env.TEST_DIR as string, `fleet-${id}`);
  mkdirSync(dir, { recursive: true });
  const secrets = loadSecrets(join(process.env.TEST_DIR as string, 'secrets.json'));
  const stores = options.stores ?? {
    adminDatabaseUrl: process.env.TEST_DATABASE_URL as string,
    redisUrl: process.env.TEST_REDIS_URL as string,
    amqpUrl: process.env.TEST_AMQP_URL as string,
    amqpManagementUrl: process.env.TEST_AMQP_MANAGEMENT_URL,
  };
  const all = findMembers();
  const members = all.filter(({ name }) => name === gatewayName || (options.services?.includes(name) ?? true));
  const ports = Object.fromEntries(
    await Promise.all(all.map(async ({ name }) => [name, await anyFreePort()] as const)),
  );
  const mailbox = await startMailbox();
  const { smtpUrl } = mailbox;
  const environment = fleetEnvironment({ members: all, ports, stores, secrets, smtpUrl, dataDir: join(dir, 'data') });
  const databases = await Promise.all(
    members
      .filter((member) => member.hasDatabase)
      .map(({ name }) => cloneDatabase(name, { adminUrl: stores.adminDatabaseUrl, roleSecret: secrets.ROLE_SECRET })),
  );
  const pooler =
    options.pooled === undefined
      ? undefined
      : await startPooler({
          port: await anyFreePort(),
          urls: databases.flatMap(({ appUrl, relayUrl }) => [appUrl, relayUrl]),
          connections: options.pooled,
        });
  const pooledUrl = (url: string) => pooler?.through(url) ?? url;
  const extra = [];
  const balancers: Balancer[] = [];
  for (const [original, count] of Object.entries({ [gatewayName]: options.gateways ?? 1, ...options.instances })) {
    const member = members.find(({ name }) => name === original) as (typeof members)[number];
    const own = environment[original] as Record<string, string>;
    const ports = [];
    for (let number = 1; number <= count; number++) {
      const name = number === 1 ? original : `${original}${number}`;
      const PORT = number === 1 && original === gatewayName ? own.PORT : String(await anyFreePort());
      if (count > 1) environment[name] = { ...own, PORT: PORT as string };
      if (number > 1) extra.push({ ...member, name });
      ports.push(Number(PORT));
    }
    // Other members call the service at the single URL in their settings, so the load balancer listens there.
    if (count > 1 && original !== gatewayName) balancers.push(await startBalancer(Number(own.PORT), ports, options));
  }
  for (const name of Object.keys(environment)) {
    const database = databases.find(({ service }) => name === service || name.replace(/\d+$/, '') === service);
    environment[name] = {
      ...environment[name],
      NAMESPACE: namespace,
      LOG_LEVEL: 'warn',
      ...generousSettings,
      ...options.env,
      ...(database && { DATABASE_URL: pooledUrl(database.appUrl), RELAY_DATABASE_URL: pooledUrl(database.relayUrl) }),
    };
  }
  /** The last exit of each process, as logged by its supervisor. */
  const ends = new Map<string, string>();
  /** The lines at level error of each process since it was last terminated. */
  const errors = new Map<string, string[]>();
  const fleet = new Fleet({
    members: [...members, ...extra],
    environment,
    runDir: dir,
    // Log file for failing tests; the folder is kept until the next run.
    onLine(name, line) {
      appendFileSync(join(dir, 'fleet.log'), `${name} ${line}\n`);
      if (line.includes('"level":"error"')) errors.get(name)?.push(line);
      const end = /exited with code \d+|was terminated by SIG\w+/.exec(line);
      if (end && line.includes('"service":"local"')) ends.set(name, end[0]);
    },
  });
  const baseUrl = `http://127.0.0.1:${environment[gatewayName]?.PORT}`;
  const pid = (name: string): number => JSON.parse(readFileSync(join(dir, `${name}.process.json`), 'utf8')).pid;
  const stop = async () => {
    await fleet.stop();
    await pooler?.close();
    await mailbox.close();
    for (const balancer of balancers) await balancer.close();
    await Promise.all(databases.map((database) => database.drop()));
    // Stores that belong to the test stop with it.
    if (!options.stores) await removeQueues(namespace);
  };
  try {
    await fleet.start(() => {});
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    baseUrl,
    mailbox,
    environment,
    api: (credentials) => createClient({ operations, baseUrl, ...(credentials && { credentials }) }),
    pid,
    kill: (name) => void process.kill(pid(name), 'SIGKILL'),
    async restart(name, settings) {
      Object.assign(environment[name] as Record<string, string>, settings);
      await fleet.restart(name, settings);
    },
    async terminate(name) {
      ends.delete(name);
      const logged: string[] = [];
      errors.set(name, logged);
      const startedAt = performance.now();
      process.kill(pid(name), 'SIGTERM');
      const end = await until(`${name} has exited`, () => ends.get(name), 60_000);
      return { end, ms: performance.now() - startedAt, errors: logged };
    },
    ready: (name) => isReady(environment[name]?.PORT),
    stop,
  };
}
