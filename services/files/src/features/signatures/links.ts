import { createHash } from 'node:crypto';
import { signatureLimits } from '@tandem/files-contract';
import { fail, type InTenant } from '@tandem/service';
import type { SignatureRequest as RequestRow, Signer as SignerRow } from '../../generated/client.ts';
import type { SignLink, Tools, Tx } from '../../handler.ts';

const dayMs = 86_400_000;
/** How long links show what became of a request, and the signed document. */
const shownDays = { ended: 90, completed: 365 };

/** A link that is not stored yet. */
export interface NewLink {
  url: string;
  hash: string;
}

/**
 * Creates a link for a person, which is valid once it is stored. Only the hash of its token is stored, so nobody can read the link from
 * the database and sign for the person.
 */
export async function createLink(
  { signTokens, publicUrl }: Pick<Tools, 'signTokens' | 'publicUrl'>,
  tx: Tx,
  request: RequestRow,
  signer: SignerRow,
): Promise<NewLink> {
  const scope = await scopeOf(tx);
  const days = request.status === 'completed' ? shownDays.completed : shownDays.ended;
  const from = Math.max(Date.now(), request.expiresAt.getTime());
  const token = signTokens.issue({ ...scope, signerId: signer.id }, new Date(from + days * dayMs));
  return { url: `${publicUrl}/sign/${token}`, hash: hashOf(token) };
}

/** Stores a link besides earlier ones. */
export async function storeLink(tx: Tx, signer: SignerRow, { hash }: NewLink): Promise<void> {
  const tokenHashes = [...signer.tokenHashes, hash].slice(-signatureLimits.linksMax);
  await tx.signer.updateMany({ where: { id: signer.id }, data: { tokenHashes } });
  signer.tokenHashes = tokenHashes;
}

/**
 * Reads the token of a link.
 * @throws 404 if it is not valid, or not any more
 */
export function readLink({ signTokens }: Pick<Tools, 'signTokens'>, token: string): SignLink {
  const link = signTokens.read(token);
  if (link === 'expired') throw fail('link_expired');
  if (!link) throw fail('not_found');
  return link;
}

/** Finds the person of a link. */
export async function findSigner(tx: Tx, link: SignLink, token: string): Promise<SignerRow> {
  const signer = await tx.signer.findFirst({ where: { id: link.signerId } });
  if (!signer?.tokenHashes.includes(hashOf(token))) throw fail('not_found');
  return signer;
}

export function scopeOfLink({ tenantId, environment }: SignLink): Parameters<InTenant<Tx>>[0] {
  return { tenantId, environment };
}

/** The tenant and environment of the current transaction. */
export async function scopeOf(tx: Tx): Promise<{ tenantId: number; environment: 'live' | 'sandbox' }> {
  const [row] = await tx.sql<{ tenantId: number; environment: 'live' | 'sandbox' }>`
    SELECT platform.tenant_id() AS "tenantId", platform.environment() AS environment`;
  if (!row) throw new Error('There is no tenant');
  return { tenantId: Number(row.tenantId), environment: row.environment };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
