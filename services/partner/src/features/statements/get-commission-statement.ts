import type { statements } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findStatement, showStatement } from './statement.ts';

export const getCommissionStatement =
  (tools: Tools): Handler<typeof statements.getCommissionStatement> =>
  async ({ params, caller, tx }) => {
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    return showStatement(tx, await findStatement(tx, params), { tools, scope });
  };
