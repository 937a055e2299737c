// Test helpers: connections of a local Google.
import type { Caller } from '@tandem/caller';
import type { Google } from '@tandem/testing/google';
import type { Integrations } from './testing.ts';

type Api = ReturnType<Integrations['as']>;

/** Requests an authorization of Google Calendar. */
export async function authorize(api: Api, body: object = {}) {
  const reply = await api.authorizeConnection({
    params: { provider: 'google' },
    body: { connectorKey: 'google_calendar', ...body },
  });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.data as { authorizationUrl: string; state: string; connectionId: string };
}

/** Opens the callback, without credentials, as the browser of the user does. */
export function openCallback(service: Integrations, query: Record<string, string>, provider = 'google') {
  const row = service.operations.completeAuthorization;
  const { tenantId, userId, keyId, ...anonymous } = service.as({ type: 'anonymous', can: [] }).caller;
  return service.send(row, { params: { provider }, query }, anonymous as Caller);
}

/** Makes a connection of Google Calendar by the whole authorization; returns its id. */
export async function connect(service: Integrations, google: Google, api: Api, body: object = {}): Promise<string> {
  const { authorizationUrl, connectionId } = await authorize(api, body);
  const arrived = await google.consent(authorizationUrl);
  const reply = await openCallback(service, Object.fromEntries(arrived.searchParams));
  if (![200, 302].includes(reply.status)) throw new Error(JSON.stringify(reply.body));
  return connectionId;
}
