import type { connections } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asConnection } from './connection.ts';

export const listConnections: Handler<typeof connections.listConnections> = async ({ query, tx, list }) => {
  const { status, connectorKey } = query;
  const page = await list({
    model: tx.connection,
    where: { deletedAt: null, ...(status && { status }), ...(connectorKey && { connectorKey }) },
    searchIn: ['name'],
  });
  return { ...page, items: page.items.map(asConnection) };
};
