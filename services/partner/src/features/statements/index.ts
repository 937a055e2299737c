import type { statements } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { listCommissionStatements } from './list-commission-statements.ts';
import { serveStatement } from './serve-statement.ts';

export const statementHandlers = (tools: Tools) =>
  ({
    listCommissionStatements: listCommissionStatements(tools),
    serveStatement: serveStatement(tools),
  }) satisfies Handlers<typeof statements, Tx>;
