import type { sso } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asConnection } from './connection.ts';

export const getSso =
  (tools: Tools): Handler<typeof sso.getSso> =>
  async ({ tx }) => {
    const row = await tx.ssoConnection.findFirst({});
    if (!row) throw fail('not_found');
    return asConnection(tx, row, tools);
  };
