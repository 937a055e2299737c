import { type Api, type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

/** Makes a connection with a config, and deletes it so many days ago. */
async function aDeletedConnection(api: Api, days: number) {
  const body = { connectorKey: 'rest', name: 'Shop', credentials: { auth: 'none', baseUrl: 'http://127.0.0.1:9' } };
  const { id } = (await api.createConnection({ body })).data;
  const settings = { events: ['lead.created'] };
  const config = await api.createConnectorConfig({ body: { connectorKey: 'rest', connectionId: id, settings } });
  await api.deleteConnection({ params: { id } });
  await service.sqlWithin(
    api.caller,
    'UPDATE connection SET deleted_at = deleted_at - make_interval(days => $1) WHERE id = $2',
    [days, id],
  );
  return { id, configId: config.data.id };
}

it('keeps a deleted connection with its configs for 30 days', async () => {
  const api = service.as();
  const old = await aDeletedConnection(api, 31);
  const recent = await aDeletedConnection(api, 29);
  const { data: live } = await api.createConnection({
    body: { connectorKey: 'stripe', name: 'Payments', credentials: { apiKey: 'sk_test_1' } },
  });
  await service.housekeep();
  const rows = await service.sqlWithin(api.caller, 'SELECT id FROM connection');
  expect(rows.map(({ id }) => String(id)).sort()).toEqual([recent.id, live.id].sort());
  const configs = await api.listConnectorConfigs({});
  expect(configs.data).toEqual([
    expect.objectContaining({ id: recent.configId, inactiveReason: 'connection_deleted' }),
  ]);
  expect((await api.getConnectorConfig({ params: { id: old.configId } })).status).toBe(404);
});

it('lets the role of housekeeping delete no other connections', async () => {
  const policies = await service.sql(`SELECT cmd, qual = 'true' AS "isForAll" FROM pg_policies
    WHERE tablename = 'connection' AND 'tandem_integrations_relay' = ANY(roles) ORDER BY cmd`);
  expect(policies).toEqual([
    { cmd: 'DELETE', isForAll: false },
    { cmd: 'SELECT', isForAll: true },
    { cmd: 'UPDATE', isForAll: true },
  ]);
});
