import type { statements } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createCommissionStatement } from './create-commission-statement.ts';
import { finalizeCommissionStatement } from './finalize-commission-statement.ts';
import { getCommissionStatement } from './get-commission-statement.ts';
import { listCommissionStatements } from './list-commission-statements.ts';
import { serveStatement } from './serve-statement.ts';

export const statementHandlers = (tools: Tools) =>
  ({
    listCommissionStatements: listCommissionStatements(tools),
    createCommissionStatement: createCommissionStatement(tools),
    getCommissionStatement: getCommissionStatement(tools),
    finalizeCommissionStatement: finalizeCommissionStatement(tools),
    serveStatement: serveStatement(tools),
  }) satisfies Handlers<typeof statements, Tx>;
