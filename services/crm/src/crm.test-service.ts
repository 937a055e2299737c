import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { crm } from '@tandem/crm-contract';
import type { ServiceSettings } from '@tandem/service';
import { createTenantDb } from '@tandem/tenant-db';
import { type TestService, testService, testSettings } from '@tandem/testing';
import { Prisma, PrismaClient } from './generated/client.ts';
import { crmService } from './service.ts';
import { type CrmSettings, crmSettings } from './settings.ts';

// No server listens on this port: calls to identity are covered by the e2e tests.
const unreachableUrl = 'http://127.0.0.1:9';

/** Settings of crm without other services. */
export const alone: Omit<CrmSettings, keyof ServiceSettings> = {
  IDENTITY_URL: unreachableUrl,
  ...crmSettings.pick({ IDS_ALPHABET: true }).parse(process.env),
  AI_PROVIDER_API_KEY: '',
  AI_PROVIDER_MODEL: 'a-model',
  AI_PROVIDER_BASE_URL: unreachableUrl,
};

/** Starts crm for a test. */
export const startCrm = (others: Partial<typeof alone> = {}): Promise<TestService<typeof crm>> =>
  testService('crm', (settings) => crmService({ ...settings, ...alone, ...others }));

type TenantDbOptions = Omit<Parameters<typeof createTenantDb>[0], 'url' | 'client' | 'prisma'>;

export type CrmDatabase = Awaited<ReturnType<typeof openCrmDatabase>>;

/** Opens a database of crm without the service. `close` drops it. */
export async function openCrmDatabase(options: TenantDbOptions = {}) {
  const settings = await testSettings('crm');
  const db = createTenantDb({
    ...options,
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });
  const close = async () => {
    await db.close();
    await settings.drop();
  };
  return { settings, db, close };
}

/** User ids that the identity stub knows in every tenant. */
export const users = { active: '5', suspended: '6', nobody: '7' };

/** Team ids that the identity stub knows in every tenant. */
export const teams = { sales: '21', support: '22' };

/** A user in one team, and one in two. */
export const members = { seller: '8', both: '9' };

/** Stub of identity: serves these users and teams, and EUR as the currency, for every tenant. */
export async function identityPeer(): Promise<{
  url: string;
  asked: string[];
  /** The teams of each active user. */
  teamsOf: Map<string, string[]>;
  successors: Map<string, string>;
  /** Users who were deactivated. */
  left: Set<string>;
  close(): Promise<void>;
}> {
  const asked: string[] = [];
  const teamsOf = new Map([
    [users.active, []],
    [members.seller, [teams.sales]],
    [members.both, [teams.sales, teams.support]],
  ]);
  const successors = new Map<string, string>();
  const left = new Set<string>();
  const statusOf = (id: string) => {
    if (left.has(id)) return 'deactivated';
    return id === users.suspended || successors.has(id) ? 'suspended' : 'active';
  };
  const server = http.createServer((request, response) => {
    const path = request.url as string;
    asked.push(path);
    const id = path.split('/').at(-1) as string;
    const found = path.endsWith('/settings')
      ? { timezone: 'Europe/Berlin', locale: 'en', currency: 'EUR' }
      : path.startsWith('/internal/teams/')
        ? Object.values(teams).includes(id) && { id, name: 'Sales' }
        : (id === users.suspended || teamsOf.has(id)) && {
            id,
            status: statusOf(id),
            name: 'Ada Lovelace',
            teamIds: teamsOf.get(id) ?? [],
            successorId: successors.get(id) ?? null,
          };
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ? { data: found } : { code: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    teamsOf,
    successors,
    left,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

let leads = 0;

/** Request body of a lead that matches no other lead. */
export function aLead(fields: Record<string, unknown> = {}) {
  const number = ++leads;
  return { email: `lead${number}@example.com`, firstName: `First${number}`, lastName: `Last${number}`, ...fields };
}
