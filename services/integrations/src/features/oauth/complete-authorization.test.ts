import { createSeal } from '@tandem/sealed';
import { until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { authorize, connect, openCallback } from '../../google.test-service.ts';
import { type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
let google: Google;
beforeAll(async () => {
  google = await startGoogle();
  service = await startIntegrations(google.settings);
});
afterAll(async () => {
  await service?.close();
  await google?.close();
});
beforeEach(() => google.set('issues'));

const redirectUri = 'https://console.tandem.example/integrations?tab=google';

/** The names of the events about a connection, in order. */
const eventsOf = (id: string) =>
  service.events.filter(({ data }) => (data as { connectionId?: string }).connectionId === id).map(({ name }) => name);
const hasEvent = (id: string, name: string) => until(`${name} is emitted`, () => eventsOf(id).includes(name));

it('connects an account, and shows no token', async () => {
  const api = service.as();
  const { authorizationUrl, connectionId, state } = await authorize(api, { redirectUri });
  expect((await api.getConnection({ params: { id: connectionId } })).data).toMatchObject({
    status: 'pending',
    name: 'Google Calendar',
    createdBy: '1',
  });
  const url = new URL(authorizationUrl);
  expect(url.searchParams.get('code_challenge_method')).toBe('S256');
  expect(url.searchParams.get('redirect_uri')).toBe('https://api.tandem.example/v1/integrations/oauth/google/callback');

  const arrived = await google.consent(authorizationUrl);
  const reply = await openCallback(service, Object.fromEntries(arrived.searchParams));
  expect(reply.status).toBe(302);
  const location = new URL(reply.headers['location'] as string);
  expect(location.origin + location.pathname).toBe('https://console.tandem.example/integrations');
  expect(Object.fromEntries(location.searchParams)).toEqual({
    tab: 'google',
    status: 'connected',
    connectionId: expect.stringMatching(/^[a-zA-Z0-9]{16,17}$/),
  });

  const shown = await api.getConnection({ params: { id: connectionId } });
  expect(shown.data).toMatchObject({
    status: 'connected',
    account: { id: 'ada@example.com', name: 'ada@example.com' },
    scopes: ['https://www.googleapis.com/auth/calendar.events'],
    lastError: null,
    allowedTransitions: ['revoked'],
  });
  await hasEvent(connectionId, 'integration.connected');
  expect(eventsOf(connectionId)).toEqual(['integration.authorization_requested', 'integration.connected']);
  const connected = service.events.find(
    ({ name, tenantId }) => name === 'integration.connected' && tenantId === api.caller.tenantId,
  );
  expect(connected?.caller).toMatchObject({ type: 'user', userId: 1 });

  const { access_token, refresh_token } = google.issued.at(-1) as (typeof google.issued)[number];
  const [row] = await service.sqlWithin(api.caller, 'SELECT * FROM connection WHERE id = $1', [connectionId]);
  const everything = JSON.stringify([shown.body, reply.body, reply.headers, service.events, row]);
  for (const secret of [access_token, refresh_token, state]) expect(everything).not.toContain(secret);
});

it('responds with JSON without a redirect address', async () => {
  const api = service.as();
  const { authorizationUrl, connectionId } = await authorize(api);
  const arrived = await google.consent(authorizationUrl);
  const reply = await openCallback(service, Object.fromEntries(arrived.searchParams));
  expect([reply.status, reply.data]).toEqual([
    200,
    { id: connectionId, connectorKey: 'google_calendar', status: 'connected' },
  ]);
});

describe('a state', () => {
  it('is valid once, also for two callbacks at once', async () => {
    const { authorizationUrl } = await authorize(service.as());
    const query = Object.fromEntries((await google.consent(authorizationUrl)).searchParams);
    const replies = await Promise.all([openCallback(service, query), openCallback(service, query)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await openCallback(service, query)).body.code).toBe('invalid_state');
  });

  it('is not valid for another provider, and stays valid for its own', async () => {
    const { authorizationUrl } = await authorize(service.as());
    const query = Object.fromEntries((await google.consent(authorizationUrl)).searchParams);
    expect((await openCallback(service, query, 'slack')).body.code).toBe('invalid_state');
    expect((await openCallback(service, query)).status).toBe(200);
  });

  it('is not used up by HEAD', async () => {
    const { authorizationUrl } = await authorize(service.as());
    const query = Object.fromEntries((await google.consent(authorizationUrl)).searchParams);
    const { tenantId, userId, keyId, ...anonymous } = service.as({ type: 'anonymous', can: [] }).caller;
    const request = { params: { provider: 'google' }, query, isHead: true };
    expect((await service.send(service.operations.completeAuthorization, request, anonymous as never)).status).toBe(
      400,
    );
    expect((await openCallback(service, query)).status).toBe(200);
  });

  it('is not valid after ten minutes', async () => {
    const api = service.as();
    const { authorizationUrl, connectionId } = await authorize(api);
    const query = Object.fromEntries((await google.consent(authorizationUrl)).searchParams);
    const end = `UPDATE oauth_authorization SET expires_at = now() - interval '1 s' WHERE connection_id = $1`;
    await service.sqlWithin(api.caller, end, [connectionId]);
    expect((await openCallback(service, query)).body.code).toBe('invalid_state');
    expect((await api.getConnection({ params: { id: connectionId } })).data.status).toBe('pending');
  });

  it.each([
    ['missing', {}],
    ['changed', { state: 'x'.repeat(120) }],
    ['of another purpose', { state: createSeal(process.env['ENCRYPTION_KEY'] as string).seal('[{},9]', 'link other') }],
  ])('that is %s gets 400', async (_, query) => {
    expect((await openCallback(service, { code: 'x', ...query })).body.code).toBe('invalid_state');
  });
});

describe('an authorization that fails', () => {
  it('redirects with the reason, which the connection shows', async () => {
    const api = service.as();
    const { state, connectionId } = await authorize(api, { redirectUri });
    const reply = await openCallback(service, { state, error: 'access_denied' });
    const { searchParams } = new URL(reply.headers['location'] as string);
    expect([reply.status, searchParams.get('status'), searchParams.get('error')]).toEqual([
      302,
      'error',
      'access_denied',
    ]);
    const { data } = await api.getConnection({ params: { id: connectionId } });
    expect([data.status, data.lastError]).toEqual(['error', 'access_denied']);
    await hasEvent(connectionId, 'integration.authorization_failed');
  });

  it('shows no text of the provider', async () => {
    const { state } = await authorize(service.as());
    const reply = await openCallback(service, { state, error: '<script>' });
    expect([reply.status, reply.body.code]).toEqual([400, 'authorization_refused']);
    expect(JSON.stringify(reply.body)).not.toContain('script');
  });

  it.each([
    ['a code that the provider does not know', 'issues', 400, 'authorization_failed'],
    ['an outage of the provider', 'fails', 503, 'provider_unavailable'],
  ] as const)('by %s is stored', async (_, mode, status, lastError) => {
    const api = service.as();
    const { state, connectionId } = await authorize(api);
    google.set(mode);
    expect((await openCallback(service, { state, code: 'unknown' })).status).toBe(status);
    const { data } = await api.getConnection({ params: { id: connectionId } });
    expect([data.status, data.lastError]).toEqual(['error', lastError]);
  });

  it('leaves a connection that works as it is', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const { state } = await authorize(api, { connectionId: id });
    await openCallback(service, { state, error: 'access_denied' });
    expect((await api.testConnection({ params: { id } })).data.ok).toBe(true);
    const { data } = await api.getConnection({ params: { id } });
    expect([data.status, data.lastError]).toEqual(['connected', 'access_denied']);
  });
});

describe('authorizing', () => {
  it('reconnects in place', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const { data: before } = await api.getConnection({ params: { id } });
    expect(await connect(service, google, api, { connectionId: id })).toBe(id);
    const { data } = await api.getConnection({ params: { id } });
    expect([data.status, data.version > before.version]).toEqual(['connected', true]);
    expect((await api.listConnections()).data).toHaveLength(1);
  });

  it.each([
    ['of another tenant', {}],
    ['of the other environment', { environment: 'sandbox' }],
  ] as const)('refuses a connection %s', async (_, scope) => {
    const api = service.as();
    const id = await connect(service, google, api);
    const { tenantId } = api.caller as { tenantId: number };
    const other = service.as('environment' in scope ? { tenantId, ...scope } : {});
    const body = { connectorKey: 'google_calendar', connectionId: id };
    const reply = await other.authorizeConnection({ params: { provider: 'google' }, body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'connectionId']);
    expect((await other.getConnection({ params: { id } })).status).toBe(404);
    expect((await other.refreshConnection({ params: { id } })).status).toBe(404);
  });

  it('establishes the connection in the tenant and environment that requested it', async () => {
    const sandbox = service.as({ environment: 'sandbox' });
    const id = await connect(service, google, sandbox);
    expect((await sandbox.getConnection({ params: { id } })).data).toMatchObject({
      environment: 'sandbox',
      status: 'connected',
    });
    const { tenantId } = sandbox.caller as { tenantId: number };
    expect((await service.as({ tenantId }).listConnections()).data).toEqual([]);
  });

  it.each([
    ['https://evil.example/'],
    ['https://console.tandem.example.evil.example/'],
    ['https://console.tandem.example@evil.example/'],
    ['https://user:word@console.tandem.example/'],
    ['javascript:alert(1)'],
    ['/integrations'],
  ])('refuses the redirect address %s', async (address) => {
    const body = { connectorKey: 'google_calendar', redirectUri: address };
    const reply = await service.as().authorizeConnection({ params: { provider: 'google' }, body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'redirectUri']);
  });

  it('names a provider that the platform has no client at', async () => {
    const reply = await service.as().authorizeConnection({ params: { provider: 'hubspot' }, body: {} });
    expect([reply.status, reply.body.code, reply.body.errors?.[0]?.message]).toEqual([
      422,
      'provider_not_configured',
      expect.stringContaining('HubSpot'),
    ]);
  });

  it('needs the connector if several use the provider', async () => {
    const reply = await service.as().authorizeConnection({ params: { provider: 'google' }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'connectorKey', message: 'Is required: google_calendar or gmail' }],
    ]);
  });

  it('that nobody completes removes the connection', async () => {
    const api = service.as();
    const { connectionId: id } = await authorize(api);
    const end = 'UPDATE oauth_authorization SET expires_at = now() WHERE connection_id = $1';
    await service.sqlWithin(api.caller, end, [id]);
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'end-authorization'`);
    await until('the connection is removed', async () => (await api.getConnection({ params: { id } })).status === 404);
    await hasEvent(id, 'integration.authorization_failed');
  });
});
