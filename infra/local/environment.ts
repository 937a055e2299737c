import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceDatabase } from '@tandem/tooling';
import { CommandError } from './command-error.ts';
import { gatewayName, type Member } from './members.ts';
import { localDir } from './paths.ts';
import type { Secrets } from './secrets.ts';

/** The name of the port on which the gateway shows its metrics, which are not for the public. */
export const opsPort = 'gateway-metrics';

/** What the settings of every process follow from. */
export interface FleetPlace {
  members: Member[];
  ports: Record<string, number>;
  stores: { adminDatabaseUrl: string; redisUrl: string; amqpUrl: string; amqpManagementUrl?: string | undefined };
  secrets: Secrets;
  /** Where a member keeps files; `.local/data` unless given. */
  dataDir?: string;
}

/** The settings of each process of the fleet, by its name. */
export type FleetEnvironment = Record<string, Record<string, string>>;

/** Works out the settings of every process. */
export function fleetEnvironment(place: FleetPlace): FleetEnvironment {
  const addresses = Object.fromEntries(
    place.members.map(({ name }) => [`${variableName(name)}_URL`, `http://127.0.0.1:${place.ports[name]}`]),
  );
  return Object.fromEntries(
    place.members.map((member) => [member.name, memberEnvironment(member, { ...place, addresses })]),
  );
}

function memberEnvironment(
  { name, hasDatabase }: Member,
  {
    stores,
    secrets,
    ports,
    addresses,
    dataDir = join(localDir, 'data'),
  }: FleetPlace & { addresses: Record<string, string> },
): Record<string, string> {
  const { ROLE_SECRET: roleSecret, ...shared } = secrets;
  const database = serviceDatabase(name, { adminUrl: stores.adminDatabaseUrl, roleSecret });
  return {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    ...(name === gatewayName && ports[opsPort] ? { OPS_PORT: String(ports[opsPort]) } : {}),
    ...(hasDatabase ? { DATABASE_URL: database.appUrl, RELAY_DATABASE_URL: database.relayUrl } : {}),
    REDIS_URL: stores.redisUrl,
    REDIS_JOBS_URL: process.env['REDIS_JOBS_URL'] ?? stores.redisUrl,
    AMQP_URL: stores.amqpUrl,
    ...(stores.amqpManagementUrl && { AMQP_MANAGEMENT_URL: stores.amqpManagementUrl }),
    // Links in answers begin with it; behind a proxy of the user's own it is another.
    PUBLIC_URL: process.env['PUBLIC_URL'] ?? addresses['GATEWAY_URL'] ?? '',
    DATA_DIR: join(dataDir, name),
    ...shared,
    ...addresses,
  };
}

function variableName(member: string): string {
  return member.replaceAll('-', '_').toUpperCase();
}

/**
 * A process's whole environment: the user's (LOG_LEVEL, a mail server, ...) with ours on top. The administrator's address
 * of a database of the user's own is not a service's business, and npm's variables are nobody's.
 */
export function withUserEnvironment(own: Record<string, string>): Record<string, string | undefined> {
  const users = Object.entries(process.env).filter(([name]) => !/^(npm_|DATABASE_URL$|NODE_CHANNEL_)/i.test(name));
  return { ...Object.fromEntries(users), ...own };
}

/** Leaves the environment of the running fleet where `npm run admin` and `npm run dev` find it. */
export function writeEnvironment(file: string, environment: FleetEnvironment): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(environment), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The environment of the running fleet; undefined when none has been started. */
export function readEnvironment(file: string): FleetEnvironment | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as FleetEnvironment;
  } catch {
    return undefined;
  }
}

const gatewayWorkersMax = 64;

/**
 * Checks a setting that is only for the gateway before anything starts: the gateway is among the last to read it.
 * @throws CommandError when it is not a number of processes that the gateway accepts
 */
export function checkGatewayWorkers(given: string | undefined): void {
  if (given === undefined || given === '') return;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= gatewayWorkersMax) return;
  throw new CommandError(`GATEWAY_WORKERS must be a whole number from 1 to ${gatewayWorkersMax}, not ${given}.`);
}
