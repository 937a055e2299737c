import type { connections } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asConnection, findConnection } from './connection.ts';

export const getConnection: Handler<typeof connections.getConnection> = async ({ params, tx }) =>
  asConnection(await findConnection(tx, params.id));
