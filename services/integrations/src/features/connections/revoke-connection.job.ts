import { id } from '@tandem/contract';
import type { OauthProvider } from '@tandem/integrations-contract';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import { connectorOf, connectorsOf } from '../../connectors/index.ts';
import type { Connection as ConnectionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { providers } from '../../providers/index.ts';
import { OauthError } from '../../providers/oauth-client.ts';
import { openTokens, type StoredTokens } from './connection.ts';

/** Job that revokes the access of a deleted connection at the provider. */
export const revokeConnectionJob = {
  name: 'revoke-connection',
  payload: z.object({ connectionId: id('connection') }),
};

// After a day the tokens are removed even if the provider did not answer.
const triedMaxMs = 86_400_000;
const waitMaxMs = 3_600_000;

/** Revokes the access of a deleted connection, then removes its tokens. */
export const revokeConnection = (tools: Tools) =>
  job({
    ...revokeConnectionJob,
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof revokeConnectionJob.payload>, Tx>) {
      const row = await tx.connection.findFirst({ where: { id: payload.connectionId, deletedAt: { not: null } } });
      const tokens = row && openTokens(tools.seal, row);
      if (!tokens) return;
      // A refresh in progress stores other tokens, which have to be revoked instead.
      const { refreshingUntil, tokenNumber } = row;
      if (refreshingUntil && refreshingUntil > new Date()) return finish(async () => soon(refreshingUntil));
      const isRevoked = (await isAccountInUse(tx, row)) || (await outside(() => revoke(tools, row, tokens)));
      const retryAt = isRevoked ? undefined : nextTry(row, tools);
      return finish(async ({ tx: inside }) => {
        if (retryAt) return retryAt;
        const where = { id: row.id, tokenNumber };
        const { count } = await inside.connection.updateMany({ where, data: { credentials: '' } });
        return count ? undefined : new Date();
      });
    },
    giveUp: scheduleAgain(revokeConnectionJob),
  });

/**
 * Whether a revocation would end other connections of the account, also those of the other environment and of other tenants,
 * because all of them have been authorized for the same client. The last one of them is revoked.
 * @param options.isOnlyElsewhere leaves out those of the tenant itself
 */
export async function isAccountInUse(
  tx: Pick<Tx, 'sql'>,
  { connectorKey, accountId }: Pick<ConnectionRow, 'connectorKey' | 'accountId'>,
  { isOnlyElsewhere = false }: { isOnlyElsewhere?: boolean } = {},
): Promise<boolean> {
  const provider = connectorOf(connectorKey).provider as OauthProvider;
  if (accountId === null || !providers[provider].revokesAccount) return false;
  const keys = connectorsOf(provider).map(({ key }) => key);
  const [found] = await tx.sql<{ isInUse: boolean }>`SELECT
    is_account_connected(${accountId}, ${keys}::text[], ${isOnlyElsewhere}) AS "isInUse"`;
  return found?.isInUse === true;
}

/** Revokes the access of a connection. Returns whether the provider has answered. */
export async function revoke(
  { oauth }: Pick<Tools, 'oauth'>,
  { connectorKey }: ConnectionRow,
  tokens: StoredTokens,
): Promise<boolean> {
  try {
    await oauth.revoke(connectorOf(connectorKey).provider as OauthProvider, tokens);
    return true;
  } catch (error) {
    if (error instanceof OauthError) return false;
    throw error;
  }
}

/** The time of the next try: the wait doubles with each. Undefined after a day. */
function nextTry({ deletedAt }: ConnectionRow, { refreshRetryMs }: Tools): Date | undefined {
  const triedMs = Date.now() - (deletedAt as Date).getTime();
  if (triedMs >= triedMaxMs) return undefined;
  return new Date(Date.now() + Math.min(Math.max(refreshRetryMs, triedMs), waitMaxMs));
}

const pollMs = 500;

function soon(until: Date): Date {
  return new Date(Math.min(until.getTime(), Date.now() + pollMs));
}
