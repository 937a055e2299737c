import { connectionDisconnected, type connections } from '@tandem/integrations-contract';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import { aboutConnection, asConnection, lockConnection, openTokens } from './connection.ts';
import { removeConnection } from './remove-connection.ts';
import { revokeConnectionJob } from './revoke-connection.job.ts';

export const deleteConnection =
  (tools: Tools): Handler<typeof connections.deleteConnection> =>
  async ({ params, tx, emit, schedule, ifMatch }) => {
    const before = await lockConnection(tx, params.id);
    ifMatch(before);
    const mustRevoke =
      connectorOf(before.connectorKey).provider !== null && openTokens(tools.seal, before) !== undefined;
    const row = await removeConnection(tx, before, { keepCredentials: mustRevoke });
    if (mustRevoke) await schedule(revokeConnectionJob, [{ connectionId: row.id }]);
    emit(connectionDisconnected, { data: aboutConnection(row), record: asConnection(row) });
    return { id: row.id, deleted: true };
  };
