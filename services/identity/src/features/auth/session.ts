import type { Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { type AuthSession, type Session, userLoggedOut } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Session as SessionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { accessSeconds, createRefreshToken, refreshDays } from '../../tokens.ts';

type Reason = z.output<typeof userLoggedOut.data>['reason'];

interface SignedIn {
  tenantId: number;
  user: { id: number };
  role: { name: string; permissions: readonly string[] };
}

const dayMs = 86_400_000;
const userAgentMax = 500;
const housekeepingMax = 100;

/** Opens a session and issues its first tokens. */
export async function openSession(tx: Tx, given: SignedIn & { caller: Caller }, tools: Tools) {
  const { user, caller } = given;
  await clearAway(tx);
  const session = await tx.session.create({
    data: {
      userId: user.id,
      ...seenOf(caller),
      expiresAt: refreshExpiry(),
    },
  });
  return { session: asSession(session), tokens: await issueTokens(tx, { ...given, sessionId: session.id }, tools) };
}

/** An access token and the next refresh token of a session. */
export async function issueTokens(
  tx: Tx,
  of: SignedIn & { sessionId: number },
  tools: Tools,
): Promise<z.output<typeof AuthSession>> {
  const { tenantId, user, role, sessionId } = of;
  const refreshToken = await issueRefreshToken(tx, of);
  const accessToken = tools.tokens.access({
    tenantId,
    userId: user.id,
    sessionId,
    role: role.name,
    permissions: role.permissions,
  });
  return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: accessSeconds };
}

/** The next refresh token of a session. */
export async function issueRefreshToken(
  tx: Tx,
  { tenantId, sessionId }: { tenantId: number; sessionId: number },
): Promise<string> {
  const { token, hash } = createRefreshToken();
  const expiresAt = refreshExpiry();
  await tx.refreshToken.create({ data: { hash, sessionId, expiresAt } });
  await tx.refreshLookup.create({ data: { hash, ownerTenantId: tenantId, expiresAt } });
  return token;
}

/** A refresh token with its session, whatever has become of them. */
export function findToken(tx: Tx, hash: string) {
  return tx.refreshToken.findFirst({
    where: { hash },
    include: { session: { include: { tenant: true, user: { include: { role: true } } } } },
  });
}

/** The same under lock. Two uses at once: the second waits here and finds the token used. */
export async function lockToken(tx: Tx, hash: string) {
  await tx.sql`SELECT hash FROM refresh_token WHERE hash = ${hash} FOR UPDATE`;
  return findToken(tx, hash);
}

/** Whether a token may no longer be exchanged, used or not. */
export function isOver({ expiresAt, session }: NonNullable<Awaited<ReturnType<typeof findToken>>>): boolean {
  return session.endedAt !== null || expiresAt <= new Date() || session.tenant.status !== 'active';
}

/** Takes a token out of use; its session lasts as long as the youngest token that replaces it. */
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

/** Ends the open ones of some sessions of users and says so. Returns those it ended; the gateways must be told after the commit. */
export async function endSessions(
  tx: Tx,
  emit: Emit<typeof userLoggedOut>,
  { where, reason }: { where: { id?: number; userId?: number }; reason: Reason },
): Promise<number[]> {
  const rows = await tx.session.updateManyAndReturn({
    where: { ...where, userId: where.userId ?? { not: null }, endedAt: null },
    data: { endedAt: new Date(), endReason: reason },
  });
  for (const row of rows) {
    const userId = row.userId as number;
    emit(userLoggedOut, { data: { userId, sessionId: row.id, reason }, record: asSession(row) });
  }
  return rows.map(({ id }) => id);
}

/** A row as events show it. */
function asSession(row: SessionRow): z.output<typeof Session> {
  return row as unknown as z.output<typeof Session>;
}

/** From where a session is opened. */
export function seenOf({ ip, userAgent }: Caller): { ip: string | null; userAgent: string | null } {
  return { ip: ip ?? null, userAgent: userAgent?.slice(0, userAgentMax) ?? null };
}

/** When a refresh token issued now expires. */
export function refreshExpiry(): Date {
  return new Date(Date.now() + refreshDays * dayMs);
}

/** Each sign-in takes some of what expired with it; the tokens of a session go with their session. */
export async function clearAway(tx: Tx): Promise<void> {
  await tx.sql`DELETE FROM refresh_lookup WHERE hash IN (SELECT hash FROM refresh_lookup WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
  await tx.sql`DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
}
