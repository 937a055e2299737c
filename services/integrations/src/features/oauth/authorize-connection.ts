import { randomUUID } from 'node:crypto';
import { actingUserId, type Caller } from '@tandem/caller';
import {
  authorizationRequested,
  type ConnectorKey,
  type OauthProvider,
  type oauth,
} from '@tandem/integrations-contract';
import { fail, failField } from '@tandem/service';
import type { Connector } from '../../connectors/connector.ts';
import { connectorOf, connectorsOf } from '../../connectors/index.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { providers } from '../../providers/index.ts';
import { aboutConnection, asConnection, type ConnectionRow, checkConnectionLimit } from '../connections/connection.ts';
import { beginAuthorization, callbackUrl, checkRedirectUri } from './authorization.ts';
import { endAuthorizationJob } from './end-authorization.job.ts';

export const authorizeConnection =
  (tools: Tools): Handler<typeof oauth.authorizeConnection> =>
  async ({ params: { provider }, body, caller, tx, emit, schedule }) => {
    const { connectorKey, connectionId, redirectUri = null } = body;
    if (!tools.oauth.isConfigured(provider)) throw notConfigured(provider);
    if (redirectUri !== null) checkRedirectUri(tools, redirectUri);
    const existing = connectionId === undefined ? undefined : await findExisting(tx, connectionId, provider);
    const connector = existing ? connectorOf(existing.connectorKey) : chosenConnector(provider, connectorKey);
    if (existing && connectorKey !== undefined && connectorKey !== existing.connectorKey)
      throw failField('connectorKey', `Must be ${existing.connectorKey}, the connector of the connection`);

    const { tenantId, environment } = caller as Required<Pick<Caller, 'tenantId' | 'environment'>>;
    const { state, verifier, columns } = beginAuthorization(tools, { tenantId, environment });
    const scopes = [...(body.scopes ?? connector.scopes)];
    const userId = actingUserId(caller) ?? null;
    const row = existing ?? (await createPending(tx, connector, userId));
    await tx.oauthAuthorization.create({
      data: { ...columns, provider, connectionId: row.id, userId, redirectUri, scopes },
    });
    if (row.status === 'pending') await schedule(endAuthorizationJob, [{ connectionId: row.id }], columns.expiresAt);
    emit(authorizationRequested, { data: aboutConnection(row), record: asConnection(row) });
    const request = { state, verifier, redirectUri: callbackUrl(tools, provider), scopes };
    return {
      authorizationUrl: await tools.oauth.authorizationUrl(provider, request),
      state,
      expiresAt: columns.expiresAt,
      connectionId: row.id,
    };
  };

function notConfigured(provider: OauthProvider) {
  const { name } = providers[provider];
  return fail('provider_not_configured', [
    { field: 'provider', message: `The platform has no client at ${name}; its operator has to configure one` },
  ]);
}

async function findExisting(tx: Tx, id: number, provider: OauthProvider): Promise<ConnectionRow> {
  const row = await tx.connection.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw failField('connectionId', 'No connection with this id');
  if (connectorOf(row.connectorKey).provider !== provider)
    throw failField('connectionId', `Must be a connection of ${providers[provider].name}`);
  return row;
}

function chosenConnector(provider: OauthProvider, key: ConnectorKey | undefined): Connector {
  const candidates = connectorsOf(provider);
  const keys = candidates.map((one) => one.key).join(' or ');
  const chosen =
    key === undefined && candidates.length === 1 ? candidates[0] : candidates.find((one) => one.key === key);
  if (!chosen) throw failField('connectorKey', key === undefined ? `Is required: ${keys}` : `Must be ${keys}`);
  return chosen;
}

async function createPending(tx: Tx, { key, name }: Connector, createdBy: number | null): Promise<ConnectionRow> {
  await checkConnectionLimit(tx);
  const data = { connectorKey: key, name, status: 'pending', sealRef: randomUUID(), createdBy };
  return tx.connection.create({ data });
}
