import { randomUUID } from 'node:crypto';
import { testSettings, until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { authorize, connect } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
let second: Integrations;
let google: Google;
beforeAll(async () => {
  google = await startGoogle();
  const shared = await testSettings('integrations');
  service = await startIntegrations(google.settings, undefined, shared);
  second = await startIntegrations(google.settings, undefined, shared);
  drop = () => shared.drop();
});
let drop: () => Promise<void>;
afterAll(async () => {
  await second?.close();
  await service?.close();
  await drop?.();
  await google?.close();
});
beforeEach(() => {
  google.set('issues');
  google.setTokenLife(3600);
  // The grant of an account survives while another connection needs it.
  google.useAccount(`${randomUUID()}@example.com`);
});

const shown = async (api: Api, id: string) => (await api.getConnection({ params: { id } })).data;
const inStatus = (api: Api, id: string, status: string) =>
  until(`the connection is ${status}`, async () => {
    const found = await shown(api, id);
    return found.status === status && found;
  });
const hasEvent = (id: string, name: string) =>
  until(`${name} is emitted`, () =>
    service.events.find((one) => one.name === name && (one.data as { connectionId?: string }).connectionId === id),
  );
/** The tokens that the last response of the provider had. */
const lastTokens = () => google.issued.at(-1) as (typeof google.issued)[number];
/** Makes the next refresh of the job due. */
async function makeDue(api: Api, id: string) {
  await service.sqlWithin(api.caller, `UPDATE connection SET refresh_at = now() WHERE id = $1`, [id]);
  await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'refresh-connection'`);
}

describe('a refresh', () => {
  it('stores the rotated tokens', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const before = lastTokens();
    const reply = await api.refreshConnection({ params: { id } });
    expect([reply.status, reply.data]).toEqual([200, { status: 'connected', expiresAt: expect.any(String) }]);
    expect(lastTokens().refresh_token).not.toBe(before.refresh_token);
    expect((await api.testConnection({ params: { id } })).data).toMatchObject({ ok: true, error: null });
    expect((await api.refreshConnection({ params: { id } })).status).toBe(200);
    expect((await shown(api, id)).lastRefreshedAt).not.toBeNull();
    await hasEvent(id, 'integration.refreshed');
  });

  it('by the path of the provider is the same', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const body = { connectionId: id };
    expect((await api.refreshProviderConnection({ params: { provider: 'google' }, body })).data.status).toBe(
      'connected',
    );
    expect((await api.refreshProviderConnection({ params: { provider: 'slack' }, body })).status).toBe(422);
  });

  it('makes one call, however many requests at two instances ask for it at once', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const other = second.as({ ...api.caller });
    google.set('hangs');
    const calls = google.calls.token;
    const replies = [api, other, api, other, other].map((one) => one.refreshConnection({ params: { id } }));
    await until('the provider is called', () => google.calls.token > calls);
    google.set('issues');
    const results = await Promise.all(replies);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(google.calls.token).toBe(calls + 1);
    expect(new Set(results.map(({ data }) => data.expiresAt)).size).toBe(1);
    expect((await api.testConnection({ params: { id } })).data.ok).toBe(true);
  });

  it('is not possible before the authorization, or without tokens', async () => {
    const api = service.as();
    const { connectionId } = await authorize(api);
    expect((await api.refreshConnection({ params: { id: connectionId } })).body.code).toBe('authorization_pending');
    const body = { connectorKey: 'stripe', name: 'Shop', credentials: { apiKey: 'sk_test_1' } };
    const { data } = await api.createConnection({ body });
    expect((await api.refreshConnection({ params: { id: data.id } })).body.code).toBe('not_refreshable');
  });

  it('of a grant that ended needs a new authorization, which recovers the connection', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await google.endGrant();
    const reply = await api.refreshConnection({ params: { id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'reauth_required']);
    expect(await shown(api, id)).toMatchObject({
      status: 'needs_reauth',
      lastError: 'invalid_grant',
      allowedTransitions: ['connected', 'revoked'],
    });
    await hasEvent(id, 'integration.needs_reauth');
    await connect(service, google, api, { connectionId: id });
    expect(await shown(api, id)).toMatchObject({ status: 'connected', lastError: null });
    await hasEvent(id, 'integration.recovered');
  });

  it('during an outage keeps the connection', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    google.set('fails');
    const reply = await api.refreshConnection({ params: { id } });
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'provider_unavailable', '60']);
    expect(await shown(api, id)).toMatchObject({ status: 'connected', lastError: 'provider_unavailable' });
    google.set('issues');
    expect((await api.refreshConnection({ params: { id } })).status).toBe(200);
    expect((await shown(api, id)).lastError).toBeNull();
  });

  it('takes over from a process that ended while it called the provider', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await service.sqlWithin(
      api.caller,
      `UPDATE connection SET refresh_ref = gen_random_uuid(), refreshing_until = now() + interval '1 s' WHERE id = $1`,
      [id],
    );
    expect((await api.refreshConnection({ params: { id } })).status).toBe(200);
  });
});

describe('the job', () => {
  it('refreshes tokens before they expire, again and again', async () => {
    google.setTokenLife(2);
    const api = service.as();
    const id = await connect(service, google, api);
    const calls = google.calls.token;
    await until('the tokens were refreshed twice', () => google.calls.token >= calls + 2);
    expect((await shown(api, id)).status).toBe('connected');
    await api.deleteConnection({ params: { id } });
  });

  it('runs once for a connection that was refreshed by hand', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await api.refreshConnection({ params: { id } });
    const calls = google.calls.token;
    await makeDue(api, id);
    await until('the job has refreshed', () => google.calls.token > calls);
    const jobs = () =>
      service.sqlWithin(api.caller, `SELECT 1 FROM platform.job WHERE name = 'refresh-connection' AND state <> 'dead'`);
    await until('one job is left', async () => (await jobs()).length === 1);
    expect(google.calls.token).toBe(calls + 1);
  });

  it('retries during an outage, and succeeds after it', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    google.set('fails');
    const calls = google.calls.token;
    await makeDue(api, id);
    await until('the job has retried', () => google.calls.token >= calls + 2);
    expect(await shown(api, id)).toMatchObject({ status: 'connected', lastError: 'provider_unavailable' });
    google.set('issues');
    await until('the tokens are refreshed', async () => (await shown(api, id)).lastError === null);
  });

  it('marks a connection only when the provider refuses its grant twice', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    await google.endGrant();
    const calls = google.calls.token;
    await makeDue(api, id);
    await inStatus(api, id, 'needs_reauth');
    expect(google.calls.token).toBe(calls + 2);
    await hasEvent(id, 'integration.needs_reauth');
  });
});

describe('deleting a connection', () => {
  it('revokes the grant and removes the tokens', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const { refresh_token } = lastTokens();
    expect((await api.deleteConnection({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await api.getConnection({ params: { id } })).status).toBe(404);
    await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
    await areRemoved(api, id);
    await hasEvent(id, 'integration.disconnected');
  });

  it('revokes after an outage', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    const { refresh_token } = lastTokens();
    google.set('fails');
    const calls = google.calls.revoke;
    await api.deleteConnection({ params: { id } });
    await until('the job has retried', () => google.calls.revoke >= calls + 2);
    google.set('issues');
    await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
    await areRemoved(api, id);
  });

  it('revokes the tokens of a refresh that was in progress', async () => {
    const api = service.as();
    const id = await connect(service, google, api);
    google.set('hangs');
    const calls = google.calls.token;
    const refreshing = api.refreshConnection({ params: { id } });
    await until('the provider is called', () => google.calls.token > calls);
    await api.deleteConnection({ params: { id } });
    google.set('issues');
    expect((await refreshing).status).toBe(404);
    const { refresh_token } = lastTokens();
    await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
    await areRemoved(api, id);
  });

  it('keeps the grant while another connection of the account needs it', async () => {
    const api = service.as();
    const ids = [await connect(service, google, api), await connect(service, google, api)];
    const { refresh_token } = lastTokens();
    const calls = google.calls.revoke;
    await api.deleteConnection({ params: { id: ids[0] } });
    await areRemoved(api, ids[0] as string);
    expect([google.calls.revoke, await google.isRefreshable(refresh_token)]).toEqual([calls, true]);
    await api.deleteConnection({ params: { id: ids[1] } });
    await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
  });

  it('happens to all connections of a tenant whose data is removed', async () => {
    const api = service.as();
    const { tenantId } = api.caller as { tenantId: number };
    await connect(service, google, service.as({ tenantId, environment: 'sandbox' }));
    const { refresh_token } = lastTokens();
    const id = randomUUID();
    const event = {
      ...{ id, name: 'tenant.deletion_due', tenantId, environment: 'live', occurredAt: new Date().toISOString() },
      ...{ action: 'tenant.delete', caller: { type: 'system', name: 'identity', requestId: 'test' } },
      ...{ target: { type: 'tenant', id: tenantId }, data: { tenantId: String(tenantId) } },
      record: { id: String(tenantId), version: 3 },
    };
    await service.publish(event.name, event, id);
    await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
    await until('the removal is reported', () =>
      service.events.find((found) => found.name === 'tenant.data_removed' && found.tenantId === tenantId),
    );
  }, 30_000);

  const areRemoved = (api: Api, id: string) =>
    until('the tokens are removed', async () => {
      const [row] = await service.sqlWithin(api.caller, 'SELECT credentials FROM connection WHERE id = $1', [id]);
      return row?.['credentials'] === '';
    });
});

it('a test tells that the access was removed at the provider', async () => {
  const api = service.as();
  const id = await connect(service, google, api);
  await google.endGrant();
  expect((await api.testConnection({ params: { id } })).data).toMatchObject({ ok: false, error: 'reauth_required' });
  expect((await shown(api, id)).status).toBe('needs_reauth');
});
