import type { connectors } from '@tandem/integrations-contract';
import { allConnectors } from '../../connectors/index.ts';
import type { Handler, Tools } from '../../handler.ts';
import { asConnector, connectedKeys } from './connector.ts';

export const listConnectors =
  (tools: Tools): Handler<typeof connectors.listConnectors> =>
  async ({ query, tx }) => {
    const { category = undefined, authType = undefined } = query;
    const connected = await connectedKeys(tx);
    return allConnectors
      .filter((one) => category === undefined || one.category === category)
      .filter((one) => authType === undefined || one.authType === authType)
      .map((one) => asConnector(one, connected, tools));
  };
