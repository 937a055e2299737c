import type { connectors } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getConnector } from './get-connector.ts';
import { listConnectors } from './list-connectors.ts';

export const connectorHandlers = (tools: Tools) =>
  ({ listConnectors: listConnectors(tools), getConnector: getConnector(tools) }) satisfies Handlers<
    typeof connectors,
    Tx
  >;
