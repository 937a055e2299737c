import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { migrate } from '@tandem/tooling';
import { claimFolder, holderOf } from './claim.ts';
import { CommandError } from './command-error.ts';
import { serveControl } from './control.ts';
import {
  type FleetEnvironment,
  fleetEnvironment,
  opsPort,
  withUserEnvironment,
  writeEnvironment,
} from './environment.ts';
import { Fleet } from './fleet.ts';
import { FleetOutput } from './fleet-output.ts';
import { type LocalMailbox, startMailbox } from './mailbox.ts';
import { findMembers, gatewayName, type Member } from './members.ts';
import { credentialsFile, environmentFile, localDir, packagesDir, root, secretsFile } from './paths.ts';
import { hold, isFree, nextFree, Ports } from './ports.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { type Stores, startStores } from './stores/index.ts';
import { printSummary } from './summary.ts';
import { progress } from './terminal.ts';

const defaultPort = 8080;

export interface RunOptions {
  /** Ends the run at any point. */
  interrupted: AbortSignal;
  /** The member that restarts when its files change. */
  watched?: string;
}

/** Runs stores, databases and fleet until interrupted, and stops all of them at the end, even after an error. */
export async function runFleet(options: RunOptions): Promise<void> {
  const claim = await claimFolder(localDir);
  if (!claim) throw new CommandError(alreadyRunning());
  if (claim.ended.length > 0) progress(`Stopped processes of an earlier run: ${claim.ended.join(', ')}`);
  try {
    await runClaimed(options);
  } finally {
    claim.release();
  }
}

function alreadyRunning(): string {
  return `Tandem is already running (process ${holderOf(localDir)?.pid}): run npm stop to stop it.`;
}

async function runClaimed(options: RunOptions): Promise<void> {
  const ports = new Ports(join(localDir, 'ports.json'));
  const gatewayPort = await chooseGatewayPort(process.env['PORT']);
  const metricsPort = await configuredPort('OPS_PORT', process.env['OPS_PORT']);
  const output = new FleetOutput();
  const log = (line: string) => output.say(line);
  const releasePort = await hold(gatewayPort);
  const stores = await startStores({ dir: localDir, packagesDir, ports, log, signal: options.interrupted });
  let mailbox: LocalMailbox | undefined;
  try {
    mailbox = await startMailbox(ports, log);
    await runOnStores(stores, { ...options, ports, gatewayPort, releasePort, metricsPort, output, mailbox });
  } finally {
    output.isReady = false;
    progress('Stopping the stores');
    await Promise.all([mailbox?.stop(), stores.stop()]);
    progress('Stopped');
  }
}

async function runOnStores(
  stores: Stores,
  options: RunOptions & {
    ports: Ports;
    gatewayPort: number;
    releasePort: () => Promise<void>;
    metricsPort: number | undefined;
    output: FleetOutput;
    mailbox: LocalMailbox | undefined;
  },
): Promise<void> {
  const { interrupted, watched, output, mailbox } = options;
  const secrets = loadSecrets(secretsFile);
  await migrateAll(stores, secrets);
  interrupted.throwIfAborted();
  const members = findMembers();
  const chosenPorts = await memberPorts(members, options);
  const environment = fleetEnvironment({
    members,
    stores,
    secrets,
    ports: chosenPorts,
    smtpUrl: mailbox?.smtpUrl,
    smsUrl: mailbox?.smsUrl,
  });
  writeEnvironment(environmentFile, environment);
  const fleet = new Fleet({ members, environment, watched, onLine: (name, line) => output.print(name, line) });
  const control = serveControl(fleet);
  try {
    await options.releasePort();
    await untilInterrupted(interrupted, startFleet(fleet, { members, environment, interrupted }));
    output.isReady = true;
    printSummary({ members, environment, gatewayPort: options.gatewayPort, defaultPort, mailboxUrl: mailbox?.webUrl });
    await untilInterrupted(interrupted, new Promise(() => undefined));
  } finally {
    control.close();
    if (interrupted.aborted) progress('Stopping the gateway and the services');
    await fleet.stop();
  }
}

async function migrateAll({ adminDatabaseUrl: adminUrl }: Stores, { ROLE_SECRET: roleSecret }: Secrets): Promise<void> {
  const databases = await migrate({ adminUrl, roleSecret, root, log: progress });
  progress(`Databases ready: ${databases.map(({ service }) => service).join(', ') || 'none'}`);
}

async function startFleet(
  fleet: Fleet,
  options: { members: Member[]; environment: FleetEnvironment; interrupted: AbortSignal },
): Promise<void> {
  const { members, environment, interrupted } = options;
  if (members.length === 0) throw new CommandError('There is no service to run (services/*/src/main.ts).');
  await fleet.start((name) => progress(`${name} ready on port ${environment[name]?.['PORT']}`));
  await createDemoTenants(environment['identity'], interrupted);
}

/** Creates demo tenants with identity's own program, through the gateway, like those of a customer. */
async function createDemoTenants(identity: Record<string, string> | undefined, signal: AbortSignal): Promise<void> {
  const program = join(root, 'services/identity/src/demo.ts');
  if (!identity || !existsSync(program)) return;
  const env = { ...withUserEnvironment(identity), CREDENTIALS_FILE: credentialsFile };
  const flags = ['--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, program], {
    cwd: root,
    env,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new CommandError('Creating the demo tenants failed.', { lines: lines.slice(-20) });
  progress('Demo tenants ready');
}

/** Settles like `work`, but rejects at once if the run is interrupted. */
function untilInterrupted<T>(interrupted: AbortSignal, work: Promise<T>): Promise<T> {
  const stopped = new Promise<never>((_, reject) => {
    if (interrupted.aborted) reject(interrupted.reason);
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
  return Promise.race([work, stopped]);
}

async function chooseGatewayPort(configured: string | undefined): Promise<number> {
  return (await configuredPort('PORT', configured)) ?? nextFree(defaultPort);
}

/** The port in a user setting; undefined if it is not set. */
async function configuredPort(setting: string, configured: string | undefined): Promise<number | undefined> {
  if (configured === undefined || configured === '') return undefined;
  const port = Number(configured);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CommandError(`${setting} must be a port from 1 to 65535, not ${configured}.`);
  if (await isFree(port)) return port;
  throw new CommandError(
    `Port ${port} is in use by another program: stop that program, or set ${setting} to another port.`,
  );
}

async function memberPorts(
  members: Member[],
  { ports, gatewayPort, metricsPort }: { ports: Ports; gatewayPort: number; metricsPort: number | undefined },
): Promise<Record<string, number>> {
  const chosen: Record<string, number> = {
    [gatewayName]: gatewayPort,
    ...(metricsPort === undefined ? {} : { [opsPort]: metricsPort }),
  };
  for (const name of [...members.map((member) => member.name), opsPort]) chosen[name] ??= await ports.get(name);
  return chosen;
}
