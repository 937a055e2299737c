import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@tandem/client/public';
import { type FleetEnvironment, fleetEnvironment } from '@tandem/local/environment';
import { memberProcess } from '@tandem/local/fleet';
import { findMembers, gatewayName, type Member } from '@tandem/local/members';
import { loadSecrets, type Secrets } from '@tandem/local/secrets';
import { type Stores, startStores } from '@tandem/local/stores';
import { aTenant, operations, type TestTenant } from '@tandem/test-fleet';
import { cloneDatabase, testDatabases } from '@tandem/tooling';
import { packagesDir } from '../local/paths.ts';
import { Ports } from '../local/ports.ts';
import type { PeerPrograms } from './packages.ts';
import { Processes } from './processes.ts';

/** The environment of a measurement. */
export interface Place {
  dir: string;
  log: (line: string) => void;
  programs: PeerPrograms;
  ports: Ports;
  secrets: Secrets;
  stores: Stores;
  processes: Processes;
  environment: FleetEnvironment;
  /** Starts a member of the fleet; `settings` override its own, and `as` names a second process of it. */
  startMember(name: string, options?: { settings?: Record<string, string>; core?: number; as?: string }): Promise<void>;
  members: Member[];
  baseUrl: string;
  /** Administrator URL of a service's database. */
  databaseUrl(service: string): string;
  aTenant(): Promise<TestTenant>;
  close(): Promise<void>;
}

// Raises the limit for calls without credentials, which is not measured; the tenant's limits stay enabled.
const settings = { ANONYMOUS_RATE_PER_MINUTE: '100000', LOG_LEVEL: 'info' };

/** Starts durable stores and creates fresh databases; each measurement starts the members it needs. */
export async function openPlace(options: {
  dir: string;
  programs: PeerPrograms;
  log: (line: string) => void;
  signal: AbortSignal;
}): Promise<Place> {
  const { dir, log, programs, signal } = options;
  for (const folder of ['log', 'tmp']) mkdirSync(join(dir, folder), { recursive: true });
  const ports = new Ports(join(dir, 'ports.json'));
  const secrets = loadSecrets(join(dir, 'secrets.json'));
  const stores = await startStores({ dir, packagesDir, ports, log, signal });
  const processes = new Processes(dir);
  try {
    const admin = { adminUrl: stores.adminDatabaseUrl, roleSecret: secrets.ROLE_SECRET };
    await testDatabases({ ...admin, clonesKeptMinutes: 0 });
    const members = findMembers();
    const withDatabase = members.filter((member) => member.hasDatabase);
    const databases = await Promise.all(withDatabase.map(({ name }) => cloneDatabase(name, admin)));
    const memberPorts: Record<string, number> = {};
    for (const { name } of members) memberPorts[name] = await ports.get(name);
    const environment = fleetEnvironment({ members, ports: memberPorts, stores, secrets, dataDir: join(dir, 'data') });
    const namespace = `bench-${randomBytes(4).toString('hex')}`;
    for (const { name } of members) {
      const own = databases.find(({ service }) => service === name);
      environment[name] = {
        ...environment[name],
        ...settings,
        NAMESPACE: namespace,
        ...(own && { DATABASE_URL: own.appUrl, RELAY_DATABASE_URL: own.relayUrl }),
      };
    }
    const baseUrl = `http://127.0.0.1:${memberPorts[gatewayName]}`;
    return {
      dir,
      log,
      programs,
      ports,
      secrets,
      stores,
      processes,
      environment,
      members,
      baseUrl,
      async startMember(name, { settings: more = {}, core, as = name } = {}) {
        const member = members.find((one) => one.name === name) as Member;
        const spec = memberProcess(member, {
          members,
          environment: { [name]: { ...environment[name], ...more } },
          onLine() {},
        });
        await processes.start({ ...spec, name: as, ...(core !== undefined && { core }) });
      },
      databaseUrl(service) {
        const url = new URL(stores.adminDatabaseUrl);
        url.pathname = new URL(environment[service]?.['DATABASE_URL'] as string).pathname;
        return url.href;
      },
      aTenant() {
        const api = (credentials?: Parameters<typeof createClient>[0]['credentials']) =>
          createClient({ operations, baseUrl, ...(credentials && { credentials }) });
        return aTenant({ environment, api });
      },
      async close() {
        await processes.stopAll();
        await stores.stop();
      },
    };
  } catch (error) {
    await processes.stopAll();
    await stores.stop();
    throw error;
  }
}
