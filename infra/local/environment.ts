import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceDatabase } from '@tandem/tooling';
import { gatewayName, type Member } from './members.ts';
import { localDir } from './paths.ts';
import type { Secrets } from './secrets.ts';

/** Name of the gateway's metrics port, which is not public. */
export const opsPort = 'gateway-metrics';

// A number that Twilio reserves for tests.
const localSender = '+15005550006';

/** The input for the settings of every process. */
export interface FleetPlace {
  members: Member[];
  ports: Record<string, number>;
  stores: { adminDatabaseUrl: string; redisUrl: string; amqpUrl: string; amqpManagementUrl?: string | undefined };
  secrets: Secrets;
  /** The mail server; without one, members store messages and send none. */
  smtpUrl?: string | undefined;
  /** The SMS provider; without one, members skip SMS. */
  smsUrl?: string | undefined;
  /** Where members keep files; `.local/data` by default. */
  dataDir?: string;
}

/** The settings of each process of the fleet, by its name. */
export type FleetEnvironment = Record<string, Record<string, string>>;

/** Computes the settings of every process. */
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
    smtpUrl = process.env['SMTP_URL'],
    smsUrl,
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
    // Base of links in responses; the user sets it when running behind their own proxy.
    PUBLIC_URL: process.env['PUBLIC_URL'] ?? addresses['GATEWAY_URL'] ?? '',
    ...(smtpUrl && { SMTP_URL: smtpUrl }),
    // The user's own provider replaces the mailbox.
    ...(smsUrl && !process.env['SMS_URL'] && { SMS_URL: smsUrl, SMS_FROM: localSender }),
    DATA_DIR: join(dataDir, name),
    ...shared,
    ...addresses,
  };
}

function variableName(member: string): string {
  return member.replaceAll('-', '_').toUpperCase();
}

/**
 * The complete environment of a process: the user's variables (LOG_LEVEL, a mail server, ...) overridden by ours.
 * Services do not get the administrator URL of the user's own database, nor npm's variables.
 */
export function withUserEnvironment(own: Record<string, string>): Record<string, string | undefined> {
  const users = Object.entries(process.env).filter(([name]) => !/^(npm_|DATABASE_URL$|NODE_CHANNEL_)/i.test(name));
  return { ...Object.fromEntries(users), ...own };
}

/** Writes the environment of the running fleet for `npm run admin` and `npm run dev`. */
export function writeEnvironment(file: string, environment: FleetEnvironment): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(environment), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The environment of the running fleet; undefined if none has been started. */
export function readEnvironment(file: string): FleetEnvironment | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as FleetEnvironment;
  } catch {
    return undefined;
  }
}
