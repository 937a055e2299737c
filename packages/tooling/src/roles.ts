import { createHmac } from 'node:crypto';
import pg from 'pg';

/** The three roles of a service's database; for their rights see section 4 of the design. */
export type RoleKind = 'owner' | 'app' | 'relay';

export const roleKinds: readonly RoleKind[] = ['owner', 'app', 'relay'];

/**
 * Limits that PostgreSQL enforces. They are settings of the roles, not of connections, because a pooler in transaction
 * mode does not pass on connection settings.
 */
export const roleSettings: Readonly<Record<'app' | 'relay', Readonly<Record<string, string>>>> = {
  app: { statement_timeout: '5s', lock_timeout: '2s', idle_in_transaction_session_timeout: '10s' },
  relay: {
    statement_timeout: '8s',
    idle_in_transaction_session_timeout: '10s',
    // A commit that is lost in a crash is repeated: an event is published again under the same id, a job is queued
    // again.
    synchronous_commit: 'off',
  },
};

/** A service's database and the connection strings of its roles. */
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
  /** The database to open; by default the service's own. */
  database?: string;
}

/** The PostgreSQL role of a service. */
export function roleName(service: string, kind: RoleKind): string {
  return `${databaseName(service)}_${kind}`;
}

/** The name of a service's database. */
export function databaseName(service: string): string {
  return `tandem_${service.replaceAll('-', '_')}`;
}

/** The password of a role, derived from the secret, so that it need not be stored. */
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

/** Replaces the database, and optionally the user, in a connection string. */
export function withDatabase(adminUrl: string, database: string, login?: { user: string; password: string }): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (login) Object.assign(url, { username: login.user, password: login.password });
  return url.href;
}

/** Opens one connection for the duration of `work`. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'tandem tooling' });
  // A server that goes away between two queries would otherwise crash the process by an unhandled 'error' event.
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
