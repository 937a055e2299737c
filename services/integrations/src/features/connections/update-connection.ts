import { actingUserId } from '@tandem/caller';
import { type connections, connectionUpdated, hiddenValue } from '@tandem/integrations-contract';
import { diff } from '@tandem/service';
import type { Secret } from '../../connectors/calling.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import { recover } from './conclude-refresh.ts';
import {
  aboutConnection,
  asConnection,
  findConnection,
  lockConnection,
  sealCredentials,
  writeConnection,
} from './connection.ts';
import { readCredentials } from './credentials.ts';
import { deactivateConfigs } from './deactivate-configs.ts';

export const updateConnection = (tools: Tools): Handler<typeof connections.updateConnection, Secret | undefined> => ({
  async check({ params, body, tx }) {
    if (body.credentials === undefined) return undefined;
    const { connectorKey } = await findConnection(tx, params.id);
    return readCredentials(tools, connectorOf(connectorKey), body.credentials);
  },
  async run({ params, body, found: credentials, caller, tx, emit, ifMatch }) {
    const before = await lockConnection(tx, params.id);
    ifMatch(before);
    const { name } = body;
    const { values, audit } = diff(before, { ...(name !== undefined && { name }) });
    const fields = [...Object.keys(values), ...(credentials ? ['credentials'] : [])];
    if (!fields.length) return asConnection(before);
    const row = await writeConnection(tx, before.id, {
      ...values,
      ...(credentials && {
        credentials: sealCredentials(tools.seal, before.sealRef, credentials),
        tokenNumber: { increment: 1 },
      }),
    });
    // They can be those of another account, which others have not authorized their configs for.
    if (credentials) await deactivateConfigs(tx, row.id, 'account_changed', { exceptOf: actingUserId(caller) ?? null });
    // Other credentials count as valid until the system rejects them, as those of a new connection do.
    const current = credentials && row.status === 'error' ? await recover({ tx, emit }, row) : row;
    emit(connectionUpdated, {
      data: { ...aboutConnection(current), fields },
      record: asConnection(current),
      changes: { ...audit, ...(credentials && { credentials: { from: hiddenValue, to: hiddenValue } }) },
    });
    return asConnection(current);
  },
});
