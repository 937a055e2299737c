import { code, operations } from '@tandem/contract';
import { z } from 'zod';
import { AuthType, Connector, ConnectorCategory } from './connector.ts';

export const connectors = operations({
  listConnectors: {
    method: 'GET',
    path: '/v1/integrations/connectors',
    permission: 'integrations:read',
    narrows: true,
    summary: 'List the connectors',
    description: 'Returns every connector of the platform, and whether you have a connection of it.',
    query: z.object({
      category: ConnectorCategory.describe('Return only connectors of this category').optional(),
      authType: AuthType.describe('Return only connectors with this kind of authentication').optional(),
    }),
    reply: z.array(Connector),
    message: 'Connectors retrieved',
  },
  getConnector: {
    method: 'GET',
    path: '/v1/integrations/connectors/:connectorKey',
    permission: 'integrations:read',
    narrows: true,
    summary: 'Retrieve a connector',
    params: z.object({
      connectorKey: code().meta({ description: 'The key of the connector', examples: ['slack'] }),
    }),
    reply: Connector,
    message: 'Connector retrieved',
  },
});
