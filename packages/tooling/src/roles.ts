import { createHmac } from 'node:crypto';
import pg from 'pg';

/** The three roles of a service's database; design section 4 says who may do what. */
export type RoleKind = 'owner' | 'app' | 'relay';

export const roleKinds: readonly RoleKind[] = ['owner', 'app', 'relay'];

/**
 * The limits that PostgreSQL keeps for the services. They belong to the roles, not to connections, so that they hold behind a
 * pooler in transaction mode, which passes no settings of a connection on.
 */
export const roleSettings: Readonly<Record<'app' | 'relay', Readonly<Record<string, string>>>> = {
  app: { statement_timeout: '5s', lock_timeout: '2s', idle_in_transaction_session_timeout: '10s' },
  relay: {
    statement_timeout: '8s',
    idle_in_transaction_session_timeout: '10s',
    // A commit that a crash undoes is repeated: an event is published again under the same id, a job is queued again.
    synchronous_commit: 'off',
  },
};

/** Where one service's database is and how each of its roles gets in. */
export interface ServiceDatabase {
  service: string;
  database: string;
  ownerUrl: string;
  appUrl: string;
  relayUrl: string;
}

interface Place {
  adminUrl: string;
  roleSecret: string;
  /** The database to open; by default the one the service runs on. */
  database?: string;
}

/** The Postgres role of a service. */
export function roleName(service: string, kind: RoleKind): string {
  return `${databaseName(service)}_${kind}`;
}

/** The database a service runs on. */
export function databaseName(service: string): string {
  return `tandem_${service.replaceAll('-', '_')}`;
}

/** A role's password: derived, so that every process which knows the secret can work it out and none has to store it. */
export function rolePassword(roleSecret: string, role: string): string {
  return createHmac('sha256', roleSecret).update(`postgres role ${role}`).digest('base64url');
}

/** The connection strings of a service's roles. */
export function serviceDatabase(service: string, { adminUrl, roleSecret, database }: Place): ServiceDatabase {
  const name = database ?? databaseName(service);
  const urlOf = (kind: RoleKind) => {
    const role = roleName(service, kind);
    return withDatabase(adminUrl, name, { user: role, password: rolePassword(roleSecret, role) });
  };
  return { service, database: name, ownerUrl: urlOf('owner'), appUrl: urlOf('app'), relayUrl: urlOf('relay') };
}

/** The same server and options, another database, and another user if given. */
export function withDatabase(adminUrl: string, database: string, login?: { user: string; password: string }): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (login) Object.assign(url, { username: login.user, password: login.password });
  return url.href;
}

/** Opens one connection for the length of `work`. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'tandem tooling' });
  // A server that goes away between two queries would otherwise end the process by an unhandled 'error' event.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const quoteName = pg.escapeIdentifier;
export const quoteText = pg.escapeLiteral;
