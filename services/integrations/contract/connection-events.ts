import { event, id } from '@tandem/contract';
import { z } from 'zod';
import { Connection, ConnectionError } from './connection.ts';
import { ConnectorKeyField } from './connector.ts';

const about = z.object({ connectionId: id('connection'), connectorKey: ConnectorKeyField });
const exampleAbout = { connectionId: 'ozWROIGD4LWMZUfL', connectorKey: 'slack' } as const;

/** Declares an event of connections. With an example it is in the catalogue, otherwise only in the audit log. */
function connectionEvent<const Name extends `integration.${string}`, Data extends z.ZodType>(
  name: Name,
  about: { action: string; description: string; data: Data; example?: z.input<Data>; outcome?: 'failure' },
) {
  const { example, ...rest } = about;
  const shown = example && ({ group: 'integrations', readPermission: 'integrations:read', example } as const);
  return event(name, { ...rest, ...shown, target: 'connection', record: Connection });
}

export const connectionConnected = connectionEvent('integration.connected', {
  action: 'integration.connect',
  description: 'A connection is established',
  data: about,
  example: exampleAbout,
});
export const connectionNeedsReauth = connectionEvent('integration.needs_reauth', {
  action: 'integration.require_reauthorization',
  description: 'The provider no longer accepts the grant of a connection, so a user has to authorize it again',
  data: about.extend({ reason: ConnectionError }),
  example: { ...exampleAbout, reason: 'invalid_grant' },
});
export const connectionRecovered = connectionEvent('integration.recovered', {
  action: 'integration.recover',
  description: 'A connection works again after an error, or after it needed a new authorization',
  data: about,
  example: exampleAbout,
});
export const connectionDisconnected = connectionEvent('integration.disconnected', {
  action: 'integration.disconnect',
  description: 'A connection is deleted, and its access at the provider is revoked',
  data: about,
  example: exampleAbout,
});
export const connectionUpdated = connectionEvent('integration.updated', {
  action: 'integration.update',
  description: 'A connection is updated',
  data: about.extend({ fields: z.array(z.string()) }),
});
export const connectionFailed = connectionEvent('integration.failed', {
  action: 'integration.fail',
  description: 'The provider refuses a connection for another reason than its grant',
  data: about.extend({ reason: ConnectionError }),
});
export const authorizationRequested = connectionEvent('integration.authorization_requested', {
  action: 'integration.request_authorization',
  description: 'An authorization of a connection is requested',
  data: about,
});
export const authorizationFailed = connectionEvent('integration.authorization_failed', {
  action: 'integration.authorize',
  description: 'An authorization of a connection fails',
  data: about.extend({ reason: ConnectionError }),
  outcome: 'failure',
});
export const connectionRefreshed = connectionEvent('integration.refreshed', {
  action: 'integration.refresh',
  description: 'A user refreshes the access token of a connection',
  data: about,
});
