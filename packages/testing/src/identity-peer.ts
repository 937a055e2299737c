import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestService } from './test-service.ts';

/** User ids that the identity stub knows in every tenant. */
export const users = { active: '5', suspended: '6', nobody: '7' };

/** Team ids that the identity stub knows in every tenant. */
export const teams = { sales: '21', support: '22' };

/** A user in one team, and one in two. */
export const members = { seller: '8', both: '9' };

/** Role ids that the identity stub knows in every tenant. */
export const roles = { sales: '31', support: '32' };

/** The address of a user of the stub. */
const addressOf = (id: string) => `user${id}@identity.example`;

/** Stub of identity: serves these users and teams, and EUR as the currency, for every tenant. */
export async function identityPeer(): Promise<{
  url: string;
  asked: string[];
  /** The teams of each active user. */
  teamsOf: Map<string, string[]>;
  /** The permissions of users who do not have all. */
  permissions: Map<string, string[]>;
  successors: Map<string, string>;
  /** The currency that a user chose for new records. */
  currencies: Map<string, string>;
  /** How a user writes dates. */
  dateFormats: Map<string, string>;
  /** Users who were deactivated. */
  left: Set<string>;
  /** The leads of teams. */
  leads: Map<string, string>;
  /** The roles of users. */
  rolesOf: Map<string, string>;
  /** The names of users other than Ada Lovelace. */
  names: Map<string, string>;
  /** The tenants by slug. */
  tenantSlugs: Map<string, string>;
  /** The settings of every tenant. */
  settings: Record<string, string>;
  /** The entitlements of every tenant. */
  entitlements: { plan: string; features: string[]; addons: [] };
  /** Paths that answer 503. */
  failing: Set<string>;
  close(): Promise<void>;
}> {
  const asked: string[] = [];
  const teamsOf = new Map([
    [users.active, []],
    [members.seller, [teams.sales]],
    [members.both, [teams.sales, teams.support]],
  ]);
  const permissions = new Map<string, string[]>();
  const permissionsOf = (id: string) => (teamsOf.has(id) ? (permissions.get(id) ?? ['*']) : []);
  const successors = new Map<string, string>();
  const currencies = new Map<string, string>();
  const dateFormats = new Map<string, string>();
  const left = new Set<string>();
  const leads = new Map<string, string>();
  const rolesOf = new Map<string, string>();
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? 'Ada Lovelace';
  const tenantSlugs = new Map<string, string>();
  const settings: Record<string, string> = { timezone: 'Europe/Berlin', locale: 'en', currency: 'EUR' };
  const entitlements = { plan: 'enterprise', features: [], addons: [] as [] };
  const failing = new Set<string>();
  const statusOf = (id: string) => {
    if (left.has(id)) return 'deactivated';
    return id === users.suspended || successors.has(id) ? 'suspended' : 'active';
  };
  const answerAssignees = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = JSON.parse(await text(request)) as { userIds: string[]; teamIds: string[]; emails?: string[] };
    const found = [...teamsOf].filter(
      ([id, teamIds]) =>
        statusOf(id) === 'active' &&
        (body.userIds.includes(id) ||
          body.emails?.includes(addressOf(id)) ||
          teamIds.some((one) => body.teamIds.includes(one))),
    );
    response.writeHead(200, { 'content-type': 'application/json' });
    const data = found.map(([id, teamIds]) => ({ id, teamIds, email: addressOf(id), name: nameOf(id) }));
    response.end(JSON.stringify({ data }));
  };
  const server = http.createServer((request, response) => {
    const path = request.url as string;
    asked.push(path);
    if (failing.has(path)) return void response.writeHead(503).end('{}');
    if (path === '/internal/users/assignees') return void answerAssignees(request, response);
    const id = path.split('/').at(-1) as string;
    const found = path.endsWith('/settings')
      ? settings
      : path === '/internal/entitlements'
        ? entitlements
        : path.endsWith('/permissions')
          ? { permissions: permissionsOf(path.split('/').at(-2) as string) }
          : path.startsWith('/internal/teams/')
            ? Object.values(teams).includes(id) && { id, name: 'Sales', leadId: leads.get(id) ?? null }
            : path.startsWith('/internal/roles/')
              ? Object.values(roles).includes(id) && { id, name: 'Sales' }
              : path.startsWith('/internal/tenants/by-slug/')
                ? tenantSlugs.has(id) && { tenantId: tenantSlugs.get(id) }
                : (id === users.suspended || teamsOf.has(id)) && {
                    id,
                    status: statusOf(id),
                    name: nameOf(id),
                    teamIds: teamsOf.get(id) ?? [],
                    successorId: successors.get(id) ?? null,
                    defaultCurrency: currencies.get(id) ?? null,
                    dateFormat: dateFormats.get(id) ?? null,
                    roleId: rolesOf.get(id) ?? null,
                  };
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ? { data: found } : { code: 'not_found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    entitlements,
    teamsOf,
    permissions,
    successors,
    currencies,
    dateFormats,
    left,
    leads,
    rolesOf,
    names,
    tenantSlugs,
    settings,
    failing,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Where a test publishes events of identity: a service, and the tenant of the caller. */
export interface Told {
  service: Pick<TestService<never>, 'publish'>;
  tenantId: number;
  /** Live by default. */
  environment?: 'live' | 'sandbox';
}

/** Publishes an event about a team, as identity does. */
export function publishTeamEvent(
  told: Told,
  name: 'team.members_changed' | 'team.deleted',
  { teamId, ...data }: { teamId: string; [field: string]: unknown },
): Promise<void> {
  const now = new Date().toISOString();
  const team = { name: 'Sales', description: null, leadId: null, parentTeamId: null, memberCount: 0, createdBy: null };
  return publish(told, name, {
    target: { type: 'team', id: Number(teamId) },
    data: { teamId, ...data },
    record: { id: teamId, tenantId: `${told.tenantId}`, ...team, version: 1, createdAt: now, updatedAt: now },
  });
}

/** Publishes the event that a user was deactivated, as identity does. */
export function publishUserLeft(
  told: Told,
  { userId, reassignTo, id }: { userId: string; reassignTo: string | null; id?: string },
): Promise<void> {
  const now = new Date().toISOString();
  const user = {
    id: userId,
    tenantId: `${told.tenantId}`,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: null,
    roleId: '1',
    teamIds: [],
    status: 'deactivated',
    allowedTransitions: ['active'],
    lastLoginAt: null,
    version: 2,
    createdAt: now,
    updatedAt: now,
  };
  const data = { userId, reassignTo, reason: null };
  return publish(told, 'user.deactivated', { target: { type: 'user', id: Number(userId) }, data, record: user }, id);
}

/** Publishes an event as the service that declares it would. */
export function publish(
  { service, tenantId, environment = 'live' }: Told,
  name: string,
  fields: object,
  id: string = randomUUID(),
): Promise<void> {
  const event = {
    id,
    name,
    tenantId,
    environment,
    occurredAt: new Date().toISOString(),
    action: name,
    caller: { type: 'user', userId: 1, requestId: 'r1' },
    ...fields,
  };
  return service.publish(name, event, id);
}
