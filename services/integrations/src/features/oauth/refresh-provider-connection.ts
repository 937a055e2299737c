import type { oauth } from '@tandem/integrations-contract';
import { failField } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import type { Refresh } from '../connections/refresh.ts';
import { concludeNow, refreshNow } from '../connections/refresh-connection.ts';

export const refreshProviderConnection = (tools: Tools): Handler<typeof oauth.refreshProviderConnection, Refresh> => ({
  async check({ params: { provider }, body: { connectionId: id }, tx }) {
    const row = await tx.connection.findFirst({ where: { id, deletedAt: null } });
    if (!row || connectorOf(row.connectorKey).provider !== provider)
      throw failField('connectionId', 'No connection with this id');
    return refreshNow(tx, tools, row);
  },
  run: ({ body, found, tx, emit, schedule }) => concludeNow({ tx, emit, schedule }, found, body.connectionId, tools),
});
