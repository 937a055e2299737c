import type { statements } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { listStatements } from './list-statements.ts';
import { serveStatement } from './serve-statement.ts';

export const statementHandlers = (tools: Tools) =>
  ({ listStatements: listStatements(tools), serveStatement: serveStatement(tools) }) satisfies Handlers<
    typeof statements,
    Tx
  >;
