import { randomUUID } from 'node:crypto';
import { id } from '@tandem/contract';
import type { OauthProvider } from '@tandem/integrations-contract';
import { z } from 'zod';
import { connectorOf } from '../../connectors/index.ts';
import type { Tools, Tx } from '../../handler.ts';
import { OauthError, type OauthFailure, type Tokens } from '../../providers/oauth-client.ts';
import { type ConnectionRow, openTokens, type StoredTokens, sealCredentials } from './connection.ts';

/** Job that refreshes the tokens of a connection before they expire. */
export const refreshConnectionJob = {
  name: 'refresh-connection',
  payload: z.object({ connectionId: id('connection'), round: z.int() }),
};

// Longer than two calls of a provider take at most, so that a lease ends only if its process ended.
const leaseSeconds = 30;
const pollMs = 200;
const waitMs = 20_000;
// Together six seconds, within the lease.
const storeTriesMax = 8;
// Tokens are refreshed this long before they expire, or after half of their life if that is shorter.
const aheadMs = 300_000;

/** The result of a refresh, before its consequences for the status are stored. */
export type Refresh =
  | {
      /** `refreshed` by this process, or `current`: another process stored newer tokens meanwhile. */
      kind: 'refreshed' | 'current';
      row: ConnectionRow;
    }
  /** Another process calls the provider. */
  | { kind: 'busy' }
  | {
      kind: 'failed';
      failure: OauthFailure;
      /** The tokens that the provider refused; the failure does not matter any more once there are others. */
      tokenNumber: number;
      /** How often in a row the provider refused the grant in this refresh. */
      refusals: number;
    };

/**
 * Exchanges the refresh token of a connection for new tokens. One process does so at a time: it holds a lease on the row,
 * and no transaction is open while the provider is called. New tokens are stored at once, before the status changes,
 * because the provider may not accept the previous refresh token any more.
 * @param seen the connection as the caller read it; tokens that are newer are not refreshed again
 * @param attemptsMax how often a grant that the provider refuses is tried, in case the refusal is a mistake
 */
export async function refreshTokens(
  tx: Tx,
  tools: Pick<Tools, 'oauth' | 'seal'>,
  seen: ConnectionRow,
  { attemptsMax }: { attemptsMax: number },
): Promise<Refresh> {
  const ref = randomUUID();
  const row = await claim(tx, seen.id, ref);
  if (!row) return { kind: 'busy' };
  const tokens = openTokens(tools.seal, row);
  if (row.tokenNumber !== seen.tokenNumber || !tokens?.refreshToken) {
    await release(tx, row.id, ref);
    return { kind: 'current', row };
  }
  const provider = connectorOf(row.connectorKey).provider as OauthProvider;
  let refusals = 0;
  for (;;) {
    try {
      const issued = await tools.oauth.refresh(provider, tokens.refreshToken);
      return await storeSurely(() => store(tx, tools, row, withPrevious(issued, tokens)));
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      if (error.failure === 'invalid_grant') refusals += 1;
      const current = await findCurrent(tx, row);
      if (current) return { kind: 'current', row: current };
      if (error.failure === 'invalid_grant' && refusals < attemptsMax) continue;
      await release(tx, row.id, ref);
      return { kind: 'failed', failure: error.failure, tokenNumber: row.tokenNumber, refusals };
    }
  }
}

/** Refreshes, and waits while another process does so. */
export async function refreshOrWait(
  tx: Tx,
  tools: Pick<Tools, 'oauth' | 'seal'>,
  seen: ConnectionRow,
): Promise<Refresh> {
  const until = Date.now() + waitMs;
  for (;;) {
    const refresh = await refreshTokens(tx, tools, seen, { attemptsMax: 2 });
    if (refresh.kind !== 'busy' || Date.now() >= until) return refresh;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    const row = await findCurrent(tx, seen);
    if (row) return { kind: 'current', row };
  }
}

/** The columns of tokens that a provider issued. */
export function tokenColumns(
  seal: Tools['seal'],
  sealRef: string,
  { accessToken, refreshToken, expiresInSeconds }: Pick<Tokens, 'accessToken' | 'refreshToken' | 'expiresInSeconds'>,
) {
  const stored: StoredTokens = { accessToken, refreshToken };
  const lifeMs = expiresInSeconds === null ? null : expiresInSeconds * 1_000;
  const refreshInMs = lifeMs === null || refreshToken === null ? lifeMs : Math.max(lifeMs - aheadMs, lifeMs / 2);
  const now = Date.now();
  return {
    credentials: sealCredentials(seal, sealRef, { ...stored }),
    expiresAt: lifeMs === null ? null : new Date(now + lifeMs),
    refreshAt: refreshInMs === null ? null : new Date(now + refreshInMs),
    tokenNumber: { increment: 1 },
    refreshRef: null,
    refreshingUntil: null,
    invalidGrants: 0,
    failingSince: null,
  };
}

/** Takes the lease; undefined while another process has it. */
async function claim(tx: Tx, id: number, ref: string): Promise<ConnectionRow | undefined> {
  const claimed = await tx.sql`UPDATE connection
    SET refresh_ref = ${ref}::uuid, refreshing_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ${id} AND deleted_at IS NULL AND (refreshing_until IS NULL OR refreshing_until < now()) RETURNING id`;
  return claimed.length ? ((await tx.connection.findFirst({ where: { id } })) ?? undefined) : undefined;
}

async function release(tx: Tx, id: number, ref: string): Promise<void> {
  await tx.connection.updateMany({ where: { id, refreshRef: ref }, data: { refreshRef: null, refreshingUntil: null } });
}

/**
 * Stores tokens in place of those that were exchanged for them. Also of a connection that was deleted meanwhile, so that
 * the tokens that are valid now get revoked.
 */
async function store(
  tx: Tx,
  { seal }: Pick<Tools, 'seal'>,
  { id, sealRef, tokenNumber }: ConnectionRow,
  issued: Tokens,
): Promise<Refresh> {
  const [row] = await tx.connection.updateManyAndReturn({
    where: { id, tokenNumber },
    data: { ...tokenColumns(seal, sealRef, issued), lastRefreshedAt: new Date() },
  });
  if (row) return { kind: 'refreshed', row };
  const current = (await tx.connection.findFirst({ where: { id } })) as ConnectionRow;
  return { kind: 'current', row: current };
}

/**
 * Repeats a store that fails, because the provider may not accept the previous refresh token any more. A repetition after a
 * commit whose answer was lost finds the tokens stored.
 */
async function storeSurely<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === storeTriesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, tried * pollMs));
    }
  }
}

/** The refresh token stays valid if the provider does not issue another one (RFC 6749, section 6). */
function withPrevious(issued: Tokens, previous: StoredTokens): Tokens {
  return { ...issued, refreshToken: issued.refreshToken ?? previous.refreshToken };
}

/** The connection, if other tokens have been stored since it was read. */
async function findCurrent(tx: Tx, { id, tokenNumber }: ConnectionRow): Promise<ConnectionRow | undefined> {
  const row = await tx.connection.findFirst({ where: { id } });
  return row && row.tokenNumber !== tokenNumber ? row : undefined;
}
