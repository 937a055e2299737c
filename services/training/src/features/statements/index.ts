import type { Handlers } from '@tandem/service';
import type { xapiStatements } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { listXapiStatements } from './list-xapi-statements.ts';

export const statementHandlers = (tools: Tools) =>
  ({ listXapiStatements: listXapiStatements(tools) }) satisfies Handlers<typeof xapiStatements, Tx>;
