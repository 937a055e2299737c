import {
  authorizationFailed,
  type ConnectionError,
  connectionConnected,
  connectionRecovered,
  type OauthProvider,
  type oauth,
} from '@tandem/integrations-contract';
import { type Actor, type ApiError, type Context, fail } from '@tandem/service';
import type { z } from 'zod';
import { callOf } from '../../connectors/call.ts';
import { type Account, CallError } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { OauthError, type OauthFailure, type Tokens } from '../../providers/oauth-client.ts';
import { startRefreshing } from '../connections/conclude-refresh.ts';
import {
  aboutConnection,
  asConnection,
  type ConnectionRow,
  findConnection,
  writeConnection,
} from '../connections/connection.ts';
import { deactivateConfigs } from '../connections/deactivate-configs.ts';
import { tokenColumns } from '../connections/refresh.ts';
import { revokeConnectionJob } from '../connections/revoke-connection.job.ts';
import { callbackUrl, takeAuthorization } from './authorization.ts';

type Op = typeof oauth.completeAuthorization;
type InTenant = Context<Op, Tx>['inTenant'];
type Scope = Parameters<InTenant>[0];
type Failure = Extract<
  z.output<typeof ConnectionError>,
  'access_denied' | 'authorization_failed' | 'provider_refused' | 'provider_unavailable'
>;

/** Works within the tenant that the state names, because the provider sends a browser without credentials. */
export const completeAuthorization =
  (tools: Tools): Handler<Op> =>
  async ({ params: { provider }, query, caller, isHead, inTenant, redirect }) => {
    const { state = '', code, error } = query;
    const named = tools.states.read(state);
    // Software that looks where the link leads must not use the state up.
    if (!named || named === 'expired' || isHead) throw fail('invalid_state');
    const entry = { tenantId: named.tenantId, environment: named.environment };
    const taken = await inTenant(entry, ({ tx }) => take(tx, tools, state, provider));
    if (!taken) throw fail('invalid_state');
    const { authorization, connection } = taken;
    const { userId, redirectUri } = authorization;
    const scope: Scope = {
      ...entry,
      actor: userId === null ? systemActor : { type: 'user', userId, requestId: caller.requestId },
    };
    const answer = (status: 'connected' | 'error', found: Record<string, string>) =>
      redirectUri === null ? undefined : redirect(addressOf(redirectUri, { status, ...found }));
    const id = tools.ids.encode('connection', named.tenantId, connection.id);

    const result =
      code === undefined ? failureOf(error) : await exchange(tools, provider, { ...authorization, state, code });
    if (typeof result === 'string') {
      await inTenant(scope, (inside) => storeFailure(inside, connection.id, result));
      if (redirectUri === null) throw refusalOf(result);
      answer('error', { error: result, connectionId: id });
      return asConnection(connection);
    }
    const account = await accountOf(tools, connection, result);
    const row = await inTenant(scope, (inside) =>
      storeTokens(inside, tools, { connection, tokens: result, account, scopes: authorization.scopes, userId }),
    );
    if (row.deletedAt) throw fail('invalid_state');
    answer('connected', { connectionId: id });
    return asConnection(row);
  };

const systemActor: Actor = { type: 'system', name: 'Authorization' };

type Inside = Parameters<Parameters<InTenant>[1]>[0];

async function take(tx: Tx, tools: Tools, state: string, provider: OauthProvider) {
  const authorization = await takeAuthorization(tx, tools, state, provider);
  return authorization && { authorization, connection: await findConnection(tx, authorization.connectionId) };
}

async function exchange(
  tools: Tools,
  provider: OauthProvider,
  { verifier, state, code }: { verifier: string; state: string; code: string },
): Promise<Tokens | Failure> {
  try {
    return await tools.oauth.exchange(provider, { verifier, state, code, redirectUri: callbackUrl(tools, provider) });
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    return codeFailures[error.failure];
  }
}

const codeFailures: Record<OauthFailure, Failure> = {
  // The provider does not know the code, or not any more.
  invalid_grant: 'authorization_failed',
  provider_refused: 'provider_refused',
  provider_unavailable: 'provider_unavailable',
};

/** The failure of an error that the provider sent (RFC 6749, section 4.1.2.1). Its own text is neither shown nor stored. */
function failureOf(error: string | undefined): Failure {
  if (error === 'access_denied') return 'access_denied';
  if (error === 'server_error' || error === 'temporarily_unavailable') return 'provider_unavailable';
  return error === 'unauthorized_client' || error === 'invalid_scope' ? 'provider_refused' : 'authorization_failed';
}

function refusalOf(failure: Failure): ApiError {
  return fail(failure === 'provider_unavailable' ? failure : 'authorization_refused', [
    { field: 'error', message: `The reason is ${failure}` },
  ]);
}

/** A connection that works keeps its tokens when another authorization of it fails. */
async function storeFailure({ tx, emit }: Inside, id: number, reason: Failure): Promise<void> {
  const before = await tx.connection.lockFirst({ where: { id, deletedAt: null } });
  if (!before) return;
  const row = await writeConnection(tx, id, {
    lastError: reason,
    ...(before.status === 'pending' && { status: 'error' }),
  });
  emit(authorizationFailed, { data: { ...aboutConnection(row), reason }, record: asConnection(row) });
}

/** The account of the tokens. A failure is no obstacle: the tokens are valid, and a test shows what is wrong. */
async function accountOf(
  tools: Tools,
  { connectorKey }: ConnectionRow,
  { accessToken }: Tokens,
): Promise<Account | null> {
  const connector = connectorOf(connectorKey);
  const call = callOf(connector, { accessToken }, { ...tools.calls, oauth: tools.oauth });
  try {
    return await connector.probe(call, { accessToken }, tools.sockets);
  } catch (error) {
    if (error instanceof CallError) return null;
    throw error;
  }
}

async function storeTokens(
  { tx, emit, schedule }: Inside,
  { seal }: Tools,
  authorized: {
    connection: ConnectionRow;
    tokens: Tokens;
    account: Account | null;
    scopes: string[];
    userId: number | null;
  },
): Promise<ConnectionRow> {
  const { connection, tokens, account, scopes, userId } = authorized;
  const before = (await tx.connection.lockFirst({ where: { id: connection.id } })) as ConnectionRow;
  const columns = tokenColumns(seal, before.sealRef, tokens);
  if (before.deletedAt) {
    // The connection was deleted meanwhile, so the access that the provider has just granted is revoked.
    const [row] = await tx.connection.updateManyAndReturn({
      where: { id: before.id },
      data: { ...columns, expiresAt: null, refreshAt: null },
    });
    await schedule(revokeConnectionJob, [{ connectionId: before.id }]);
    return row as ConnectionRow;
  }
  const written = await writeConnection(tx, before.id, {
    ...columns,
    status: 'connected',
    lastError: null,
    scopes: tokens.scopes ?? scopes,
    ...(account && { accountId: account.id, accountName: account.name }),
  });
  if (account && before.accountId === null) await takeOverLinks(tx, written);
  if (account && before.accountId !== null && before.accountId !== account.id) await forgetRecords(tx, before.id);
  // An account that is not known can be another one: the scopes that the user chose may not permit to read it.
  const isSameAccount = account !== null && account.id === before.accountId;
  if (!isSameAccount) await deactivateConfigs(tx, before.id, 'account_changed', { exceptOf: userId });
  const row = await startRefreshing({ tx, schedule }, written);
  const wasConnected = before.tokenNumber > 0;
  if (before.status !== 'connected')
    emit(wasConnected ? connectionRecovered : connectionConnected, {
      data: aboutConnection(row),
      record: asConnection(row),
    });
  return row;
}

/**
 * Takes over the links of deleted connections of the same account, so that somebody who connects it again gets no record
 * twice. The links of the latest one count.
 */
async function takeOverLinks(tx: Tx, { id, connectorKey, accountId }: ConnectionRow): Promise<void> {
  await tx.sql`INSERT INTO sync_link
      (connection_id, scope, kind, external_id, record_id, hash, version, record_hash, seen_at, updated_at)
    SELECT DISTINCT ON (scope, kind, external_id)
      ${id}::bigint, scope, kind, external_id, record_id, hash, sync_link.version, record_hash, seen_at, sync_link.updated_at
    FROM sync_link JOIN connection ON connection.id = connection_id
    WHERE connector_key = ${connectorKey} AND account_id = ${accountId} AND deleted_at IS NOT NULL
    ORDER BY scope, kind, external_id, deleted_at DESC
    ON CONFLICT DO NOTHING`;
}

/** Forgets the links and the cursors of another account, whose ids mean other records now. */
async function forgetRecords(tx: Tx, connectionId: number): Promise<void> {
  await tx.syncLink.deleteMany({ where: { connectionId } });
  // Also configs of others, which a caller who is narrowed to their own records does not see.
  await tx.sql`UPDATE connector_config SET cursor = NULL, reading_since = NULL, examined_to = NULL WHERE connection_id = ${connectionId}`;
}

function addressOf(redirectUri: string, parameters: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
