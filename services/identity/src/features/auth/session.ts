import type { Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { type AuthSession, type SignInMethod, userLoggedOut } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { accessSeconds, createRefreshToken, hashRefreshToken, refreshDays } from '../../tokens.ts';

export type Method = z.output<typeof SignInMethod>;
type Reason = z.output<typeof userLoggedOut.data>['reason'];

type Issued = z.output<typeof AuthSession>;

interface SignedIn {
  tenantId: number;
  user: { id: number };
  role: { name: string; permissions: readonly string[] };
}

const dayMs = 86_400_000;
const userAgentMax = 500;
const housekeepingMax = 100;
const reuseMs = 30_000;

/** Opens a session and issues its first tokens. */
export async function openSession(tx: Tx, input: SignedIn & { caller: Caller; method: Method }, tools: Tools) {
  const { user, caller, method } = input;
  await deleteExpired(tx);
  const session = await tx.session.create({
    data: {
      userId: user.id,
      method,
      lastSeenAt: new Date(),
      ...clientOf(caller),
      expiresAt: refreshExpiry(),
    },
  });
  return {
    session: { ...session, userId: user.id },
    tokens: await issueTokens(tx, { ...input, sessionId: session.id }, tools),
  };
}

/** Issues an access token and a random refresh token: the first ones of a session. */
async function issueTokens(tx: Tx, owner: SignedIn & { sessionId: number }, tools: Tools): Promise<Issued> {
  return tokensOf(owner, await issueRefreshToken(tx, owner), tools);
}

/** A new access token of a session, beside its refresh token. */
function tokensOf(owner: SignedIn & { sessionId: number }, refreshToken: string, tools: Tools): Issued {
  const { tenantId, user, role, sessionId } = owner;
  const accessToken = tools.tokens.access({
    tenantId,
    userId: user.id,
    sessionId,
    role: role.name,
    permissions: role.permissions,
  });
  return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: accessSeconds };
}

/** Issues a random refresh token of a session. */
export async function issueRefreshToken(tx: Tx, session: { tenantId: number; sessionId: number }): Promise<string> {
  const { token, hash } = createRefreshToken();
  await storeRefreshToken(tx, session, hash);
  return token;
}

async function storeRefreshToken(
  tx: Tx,
  { tenantId, sessionId }: { tenantId: number; sessionId: number },
  hash: string,
): Promise<void> {
  const expiresAt = refreshExpiry();
  await tx.refreshToken.create({ data: { hash, sessionId, expiresAt } });
  await tx.refreshLookup.create({ data: { hash, ownerTenantId: tenantId, expiresAt } });
}

/**
 * Exchanges a refresh token of a user. Its successor is derived from it with a key of ours, so that the same successor
 * can be returned again without storing it.
 */
export async function exchangeToken(
  tx: Tx,
  { token, owner, caller }: { token: string; owner: SignedIn & { sessionId: number }; caller: Caller },
  tools: Tools,
): Promise<Issued> {
  const [successor] = successorsOf(token, tools);
  const used = { hash: hashRefreshToken(token), sessionId: owner.sessionId };
  await replaceToken(tx, used, () => storeRefreshToken(tx, owner, hashRefreshToken(successor)));
  // The device may have moved to another network since.
  const { ip } = clientOf(caller);
  await tx.sql`UPDATE session SET last_seen_at = now(), ip = ${ip} WHERE id = ${owner.sessionId}`;
  return tokensOf(owner, successor, tools);
}

/**
 * Repeats the exchange of a token that was used moments ago: a second tab sent the same cookie, or the response was
 * lost. Undefined when that is too long ago, or when the successor is not known.
 */
export async function repeatExchange(
  tx: Tx,
  { token, usedAt, owner }: { token: string; usedAt: Date; owner: SignedIn & { sessionId: number } },
  tools: Tools,
): Promise<Issued | undefined> {
  if (Date.now() - usedAt.getTime() > reuseMs) return undefined;
  // After a rotation of the key, the successor may have been derived with an older one.
  for (const successor of successorsOf(token, tools)) {
    const where = { hash: hashRefreshToken(successor), sessionId: owner.sessionId };
    if (await tx.refreshToken.findFirst({ where })) return tokensOf(owner, successor, tools);
  }
  return undefined;
}

function successorsOf(token: string, { seal }: Tools): [current: string, ...others: string[]] {
  const digests = seal.digests(`successor of refresh token ${token}`);
  return digests.map((digest) => Buffer.from(digest, 'base64').toString('base64url')) as [string, ...string[]];
}

/** Finds a refresh token with its session, whatever their state. */
export function findToken(tx: Tx, hash: string) {
  return tx.refreshToken.findFirst({
    where: { hash },
    include: { session: { include: { tenant: true, user: { include: { role: true } } } } },
  });
}

/** Like `findToken`, with a row lock: of two concurrent uses, the second waits here and finds the token used. */
export async function lockToken(tx: Tx, hash: string) {
  await tx.sql`SELECT hash FROM refresh_token WHERE hash = ${hash} FOR UPDATE`;
  return findToken(tx, hash);
}

/** Whether a token can no longer be exchanged, even if unused. */
export function isUnusable({ expiresAt, session }: NonNullable<Awaited<ReturnType<typeof findToken>>>): boolean {
  return session.endedAt !== null || expiresAt <= new Date();
}

/** Whether the tenant of a session is suspended. */
export function isOfSuspended({ session }: { session: { tenant: { status: string } } }): boolean {
  return session.tenant.status !== 'active';
}

/** Marks a token as used and issues its successor; the session expires with its newest token. */
export async function replaceToken<Tokens>(
  tx: Tx,
  { hash, sessionId }: { hash: string; sessionId: number },
  issue: () => Promise<Tokens>,
): Promise<Tokens> {
  await tx.refreshToken.updateMany({ where: { hash }, data: { usedAt: new Date() } });
  const tokens = await issue();
  await tx.sql`UPDATE session SET expires_at = (SELECT max(expires_at) FROM refresh_token WHERE session_id = ${sessionId}) WHERE id = ${sessionId}`;
  return tokens;
}

/**
 * Ends matching open user sessions and emits events. Returns their ids, to invalidate in the gateways after the commit.
 */
export async function endSessions(
  tx: Tx,
  emit: Emit<typeof userLoggedOut>,
  { where, reason }: { where: { id?: number | { not: number }; userId?: number }; reason: Reason },
): Promise<number[]> {
  const rows = await tx.session.updateManyAndReturn({
    where: { ...where, userId: where.userId ?? { not: null }, endedAt: null },
    data: { endedAt: new Date(), endReason: reason },
  });
  for (const row of rows) {
    const { id: sessionId, userId } = row;
    // Sessions of portal users have no user; the condition leaves them out.
    if (userId !== null) emit(userLoggedOut, { data: { userId, sessionId, reason }, record: { ...row, userId } });
  }
  return rows.map(({ id }) => id);
}

/** Client that opened a session. */
export function clientOf({ ip, userAgent }: Caller): { ip: string | null; userAgent: string | null } {
  return { ip: ip ?? null, userAgent: userAgent?.slice(0, userAgentMax) ?? null };
}

/** Expiry of a refresh token issued now. */
export function refreshExpiry(): Date {
  return new Date(Date.now() + refreshDays * dayMs);
}

/** Deletes a batch of expired sessions and lookups on each login; refresh tokens are deleted with their session. */
export async function deleteExpired(tx: Tx): Promise<void> {
  await tx.sql`DELETE FROM refresh_lookup WHERE hash IN (SELECT hash FROM refresh_lookup WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
  await tx.sql`DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
}
