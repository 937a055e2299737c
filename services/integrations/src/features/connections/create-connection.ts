import { randomUUID } from 'node:crypto';
import { actingUserId } from '@tandem/caller';
import { connectionConnected, type connections } from '@tandem/integrations-contract';
import type { Secret } from '../../connectors/calling.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import { aboutConnection, asConnection, checkConnectionLimit, sealCredentials } from './connection.ts';
import { readCredentials } from './credentials.ts';

export const createConnection = (tools: Tools): Handler<typeof connections.createConnection, Secret> => ({
  check: ({ body }) => readCredentials(tools, connectorOf(body.connectorKey), body.credentials),
  async run({ body: { connectorKey, name }, caller, found, tx, emit }) {
    await checkConnectionLimit(tx);
    const sealRef = randomUUID();
    const row = await tx.connection.create({
      data: {
        connectorKey,
        name,
        status: 'connected',
        sealRef,
        credentials: sealCredentials(tools.seal, sealRef, found),
        createdBy: actingUserId(caller) ?? null,
      },
    });
    const connection = asConnection(row);
    emit(connectionConnected, { data: aboutConnection(row), record: connection });
    return connection;
  },
});
