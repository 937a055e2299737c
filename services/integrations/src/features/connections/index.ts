import type { connections } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createConnection } from './create-connection.ts';
import { deleteConnection } from './delete-connection.ts';
import { getConnection } from './get-connection.ts';
import { listConnections } from './list-connections.ts';
import { refreshConnection } from './refresh-connection.ts';
import { testConnection } from './test-connection.ts';
import { updateConnection } from './update-connection.ts';

export const connectionHandlers = (tools: Tools) =>
  ({
    listConnections,
    createConnection: createConnection(tools),
    getConnection,
    updateConnection: updateConnection(tools),
    deleteConnection: deleteConnection(tools),
    refreshConnection: refreshConnection(tools),
    testConnection: testConnection(tools),
  }) satisfies Handlers<typeof connections, Tx>;
