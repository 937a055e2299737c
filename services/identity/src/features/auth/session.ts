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
      ip: caller.ip ?? null,
      userAgent: caller.userAgent?.slice(0, userAgentMax) ?? null,
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
  const { token, hash } = createRefreshToken();
  const expiresAt = refreshExpiry();
  await tx.refreshToken.create({ data: { hash, sessionId, expiresAt } });
  await tx.refreshLookup.create({ data: { hash, ownerTenantId: tenantId, expiresAt } });
  const accessToken = tools.tokens.access({
    tenantId,
    userId: user.id,
    sessionId,
    role: role.name,
    permissions: role.permissions,
  });
  return { accessToken, refreshToken: token, tokenType: 'Bearer', expiresIn: accessSeconds };
}

/** Ends the open ones of some sessions and says so. Returns those it ended; the gateways must be told after the commit. */
export async function endSessions(
  tx: Tx,
  emit: Emit<typeof userLoggedOut>,
  { where, reason }: { where: { id: number } | { userId: number }; reason: Reason },
): Promise<number[]> {
  const rows = await tx.session.updateManyAndReturn({
    where: { ...where, endedAt: null },
    data: { endedAt: new Date(), endReason: reason },
  });
  for (const row of rows) {
    emit(userLoggedOut, { data: { userId: row.userId, sessionId: row.id, reason }, record: asSession(row) });
  }
  return rows.map(({ id }) => id);
}

/** A row as events show it. */
function asSession(row: SessionRow): z.output<typeof Session> {
  return row as unknown as z.output<typeof Session>;
}

function refreshExpiry(): Date {
  return new Date(Date.now() + refreshDays * dayMs);
}

/** Each sign-in takes some of what expired with it; the tokens of a session go with their session. */
async function clearAway(tx: Tx): Promise<void> {
  await tx.sql`DELETE FROM refresh_lookup WHERE hash IN (SELECT hash FROM refresh_lookup WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
  await tx.sql`DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${housekeepingMax} FOR UPDATE SKIP LOCKED)`;
}
