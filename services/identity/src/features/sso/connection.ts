import { randomUUID } from 'node:crypto';
import type { SsoConnection } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import type { SealedColumn } from '@tandem/service';
import type { z } from 'zod';
import type { SsoConnection as ConnectionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { effectiveFeatures } from '../addons/effective-features.ts';
import { ownerRole } from '../roles/system-roles.ts';
import { asDomain } from './domain.ts';
import type { Credentials } from './provider.ts';

const context = 'sso client secret';

/** The encrypted column of a connection. */
export const sealedSso: SealedColumn = { table: 'sso_connection', column: 'client_secret', context, ref: 'seal_ref' };

/** Encrypts a client secret. */
export function sealClientSecret(seal: Seal, secret: string) {
  const sealRef = randomUUID();
  return { sealRef, clientSecret: seal.seal(secret, `${context} ${sealRef}`) };
}

/** Decrypts what the provider needs. */
export function credentialsOf(
  { tenantId, issuer, clientId, clientSecret, sealRef }: ConnectionRow,
  seal: Seal,
): Credentials {
  return { tenantId, issuer, clientId, clientSecret: seal.open(clientSecret, `${context} ${sealRef}`) };
}

/** Converts a row to the API resource. */
export async function asConnection(tx: Tx, row: ConnectionRow, tools: Tools): Promise<z.output<typeof SsoConnection>> {
  const domains = await tx.ssoDomain.findMany({ orderBy: { id: 'asc' } });
  return { ...row, clientSecret: '***', redirectUri: redirectUri(tools), domains: domains.map(asDomain) };
}

/** Where providers send browsers back to. */
export function redirectUri({ publicUrl }: Pick<Tools, 'publicUrl'>): string {
  return `${publicUrl}/v1/auth/sso/callback`;
}

/** The connection of the tenant; undefined without one, and while the plan does not include single sign-on. */
export async function findActive(tx: Tx): Promise<ConnectionRow | undefined> {
  const row = await tx.ssoConnection.findFirst({});
  const tenant = row && (await tx.tenant.findFirst({}));
  if (tenant?.status !== 'active' || !(await effectiveFeatures(tx, tenant)).includes('sso')) return undefined;
  return row ?? undefined;
}

interface Account {
  /** Without id: somebody who has no user yet. */
  user: { id?: number; email: string };
  role: { name: string; isSystem: boolean };
}

/**
 * Whether a user must sign in through the provider: everybody in a proven domain, and everybody who has signed in through
 * it, whatever their address is now. Owners may use a password, in case the provider fails.
 */
export async function mustUseSso(tx: Tx, { user, role }: Account): Promise<boolean> {
  if (role.isSystem && role.name === ownerRole) return false;
  const connection = await tx.ssoConnection.findFirst({ where: { enforce: true } });
  if (!connection || !(await findActive(tx))) return false;
  if (await isProven(tx, user.email)) return true;
  const { issuer } = connection;
  return user.id !== undefined && (await tx.userIdentity.count({ where: { userId: user.id, issuer } })) > 0;
}

/** Whether an address would take its user out of enforced single sign-on. */
export async function leavesSso(tx: Tx, account: Account, newEmail: string): Promise<boolean> {
  return (await mustUseSso(tx, account)) && !(await isProven(tx, newEmail));
}

/** Whether the tenant has proven the domain of an address. */
export async function isProven(tx: Tx, email: string): Promise<boolean> {
  return isProvenDomain(tx, email.slice(email.lastIndexOf('@') + 1));
}

/** Whether the tenant has proven a domain. */
export async function isProvenDomain(tx: Tx, domain: string): Promise<boolean> {
  return (await tx.ssoDomain.count({ where: { domain, verifiedAt: { not: null } } })) > 0;
}
