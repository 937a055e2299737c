import type { connectors } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import { allConnectors } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import { asConnector, connectedKeys } from './connector.ts';

export const getConnector =
  (tools: Tools): Handler<typeof connectors.getConnector> =>
  async ({ params, tx }) => {
    const connector = allConnectors.find(({ key }) => key === params.connectorKey);
    if (!connector) throw fail('not_found');
    return asConnector(connector, await connectedKeys(tx), tools);
  };
