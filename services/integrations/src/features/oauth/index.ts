import type { oauth } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { authorizeConnection } from './authorize-connection.ts';
import { completeAuthorization } from './complete-authorization.ts';
import { refreshProviderConnection } from './refresh-provider-connection.ts';

export const oauthHandlers = (tools: Tools) =>
  ({
    authorizeConnection: authorizeConnection(tools),
    completeAuthorization: completeAuthorization(tools),
    refreshProviderConnection: refreshProviderConnection(tools),
  }) satisfies Handlers<typeof oauth, Tx>;
