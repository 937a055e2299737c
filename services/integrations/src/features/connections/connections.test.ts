import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connections, connectorConfigs, connectors, oauth } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import { type Integrations, startIntegrations } from '../../testing.ts';

let status = 200;
const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  seen.push({ url: request.url, headers: request.headers });
  response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
});
let url: string;
let service: Integrations;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startIntegrations({ STRIPE_URL: url });
});
afterAll(async () => {
  await service?.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  status = 200;
  seen.length = 0;
});

everyOperation({ ...connectors, ...oauth, ...connections, ...connectorConfigs }, () => service as never, {
  recordless: ['getConnector', 'authorizeConnection'],
});

const stripe = (apiKey = 'sk_test_secretOfTheTest') => ({
  connectorKey: 'stripe',
  name: 'Shop',
  credentials: { apiKey },
});

it('creates, lists, renames and deletes a connection, without showing its credentials', async () => {
  const api = service.as();
  const created = await api.createConnection({ body: stripe() });
  expect([created.status, created.data]).toEqual([
    201,
    expect.objectContaining({ connectorKey: 'stripe', name: 'Shop', status: 'connected', environment: 'live' }),
  ]);
  const { id } = created.data;
  const renamed = await api.updateConnection({ params: { id }, body: { name: 'Web shop' } });
  expect([renamed.data.name, renamed.data.version]).toEqual(['Web shop', 2]);
  const listed = await api.listConnections({ query: { status: 'connected', search: 'shop' } });
  expect(listed.data).toEqual([renamed.data]);
  expect((await api.getConnector({ params: { connectorKey: 'stripe' } })).data.status).toBe('connected');
  expect((await api.deleteConnection({ params: { id } })).status).toBe(200);
  expect((await api.getConnection({ params: { id } })).status).toBe(404);
  const [row] = await service.sqlWithin(api.caller, 'SELECT credentials FROM connection WHERE id = $1', [id]);
  expect(row).toEqual({ credentials: '' });
  await until('the deletion is emitted', () => service.events.some(({ name }) => name === 'integration.disconnected'));
  expect(JSON.stringify([created.body, listed.body, service.events])).not.toContain('secretOfTheTest');
});

it('refuses a change of another version', async () => {
  const api = service.as();
  const { id } = (await api.createConnection({ body: stripe() })).data;
  await api.updateConnection({ params: { id }, body: { name: 'Web shop' } });
  const body = { name: 'Other' };
  expect((await api.updateConnection({ params: { id }, body, headers: { 'if-match': '"1"' } })).status).toBe(412);
});

it.each([
  ['a key of another form', { ...stripe('xsecretx') }, 'credentials.apiKey'],
  ['no key', { ...stripe(), credentials: {} }, 'credentials.apiKey'],
  ['OAuth', { connectorKey: 'slack', name: 'Slack', credentials: {} }, 'connectorKey'],
  [
    'a header of the platform',
    {
      connectorKey: 'rest',
      name: 'R',
      credentials: { auth: 'api_key', baseUrl: 'https://example.com', header: 'Host', apiKey: 'x' },
    },
    'credentials.header',
  ],
  [
    'a line break',
    {
      connectorKey: 'rest',
      name: 'R',
      credentials: { auth: 'api_key', baseUrl: 'https://example.com', apiKey: 'x\r\ny: z' },
    },
    'credentials.apiKey',
  ],
  [
    'a metadata address',
    { connectorKey: 'rest', name: 'R', credentials: { auth: 'none', baseUrl: 'http://169.254.169.254/' } },
    'credentials.baseUrl',
  ],
  ['an unknown kind', { connectorKey: 'rest', name: 'R', credentials: { auth: 'magic' } }, 'credentials.auth'],
])('rejects credentials with %s', async (_, body, field) => {
  const api = service.as();
  const reply = await api.createConnection({ body });
  expect([reply.status, reply.body.errors?.map((one) => one.field)]).toEqual([422, [field]]);
  expect(JSON.stringify(reply.body)).not.toContain('xsecretx');
  expect((await api.listConnections()).data).toEqual([]);
});

describe('a test', () => {
  it('calls the system with the credentials', async () => {
    const api = service.as();
    const { id } = (await api.createConnection({ body: stripe() })).data;
    expect((await api.testConnection({ params: { id } })).data).toEqual({
      ok: true,
      error: null,
      latencyMs: expect.any(Number),
    });
    expect(seen).toEqual([
      { url: '/v1/balance', headers: expect.objectContaining({ authorization: 'Bearer sk_test_secretOfTheTest' }) },
    ]);
  });

  it.each([
    [{ auth: 'api_key', apiKey: 'Bearer x' }, { authorization: 'Bearer x' }],
    [{ auth: 'api_key', header: 'X-Key', apiKey: 'x' }, { 'x-key': 'x' }],
    [{ auth: 'basic', username: 'ada', password: 'a:b' }, { authorization: `Basic ${btoa('ada:a:b')}` }],
    [{ auth: 'none' }, {}],
  ])('of a REST API sends %j', async (credentials, headers) => {
    const api = service.as();
    const body = { connectorKey: 'rest', name: 'ERP', credentials: { ...credentials, baseUrl: `${url}/api?v=1` } };
    const { id } = (await api.createConnection({ body })).data;
    expect((await api.testConnection({ params: { id } })).data.ok).toBe(true);
    expect(seen).toEqual([{ url: '/api?v=1', headers: expect.objectContaining(headers) }]);
  });

  it('of rejected credentials marks the connection until others work', async () => {
    const api = service.as();
    const { id } = (await api.createConnection({ body: stripe() })).data;
    const shown = async () => (await api.getConnection({ params: { id } })).data;
    status = 401;
    expect((await api.testConnection({ params: { id } })).data).toMatchObject({
      ok: false,
      error: 'credentials_rejected',
    });
    expect(await shown()).toMatchObject({ status: 'error', lastError: 'credentials_rejected' });
    await api.updateConnection({ params: { id }, body: { credentials: { apiKey: 'sk_test_2' } } });
    expect(await shown()).toMatchObject({ status: 'connected', lastError: null });
    await api.testConnection({ params: { id } });
    expect(await shown()).toMatchObject({ status: 'error' });
    status = 200;
    await api.testConnection({ params: { id } });
    expect(await shown()).toMatchObject({ status: 'connected', lastError: null });
  });

  it('that fails leaves a line in the log, without credentials', async () => {
    const level = process.env['LOG_LEVEL'];
    process.env['LOG_LEVEL'] = 'info';
    const written: string[] = [];
    const output = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const logging = await startIntegrations({ STRIPE_URL: url });
    if (level === undefined) delete process.env['LOG_LEVEL'];
    else process.env['LOG_LEVEL'] = level;
    try {
      const api = logging.as();
      const { id } = (await api.createConnection({ body: stripe() })).data;
      await api.testConnection({ params: { id } });
      status = 401;
      await api.testConnection({ params: { id } });
      const lineOf = () => written.find((text) => text.includes('connection test failed'));
      const line = JSON.parse(await until('the failure is logged', lineOf));
      expect(line).toMatchObject({ level: 'warn', connector: 'stripe', error: 'credentials_rejected' });
      expect(written.join('')).not.toContain('secretOfTheTest');
      expect(written.filter((text) => text.includes('connection test failed'))).toHaveLength(1);
    } finally {
      output.mockRestore();
      await logging.close();
    }
  });

  it.each([
    [503, 'provider_unavailable'],
    [429, 'provider_unavailable'],
    [404, 'status_404'],
    [302, 'status_302'],
  ])('of a system that answers %i says so, and changes nothing', async (code, error) => {
    const api = service.as();
    const { id } = (await api.createConnection({ body: stripe() })).data;
    status = code;
    expect((await api.testConnection({ params: { id } })).data).toMatchObject({ ok: false, error });
    expect((await api.getConnection({ params: { id } })).data).toMatchObject({ status: 'connected', version: 1 });
  });
});

it('shows callers who are narrowed to their own records nothing of others', async () => {
  const api = service.as();
  const { tenantId } = api.caller as { tenantId: number };
  const { id } = (await api.createConnection({ body: stripe() })).data;
  const other = service.as({ tenantId, userId: 2, can: ['integrations:read:own', 'integrations:write:own'] });
  expect((await other.getConnection({ params: { id } })).status).toBe(404);
  expect((await other.updateConnection({ params: { id }, body: { credentials: {} } })).status).toBe(404);
  expect((await other.listConnections()).data).toEqual([]);
});

it('lists the connectors, and finds none by an unknown key', async () => {
  const api = service.as();
  const all = (await api.listConnectors()).data as { key: string; configured: boolean }[];
  expect(all.map(({ key }) => key)).toEqual([
    'slack',
    'google_calendar',
    'gmail',
    'microsoft_calendar',
    'hubspot',
    'pipedrive',
    'stripe',
    'imap',
    'rest',
  ]);
  expect(all.filter(({ configured }) => configured).map(({ key }) => key)).toEqual(['stripe', 'imap', 'rest']);
  expect((await api.listConnectors({ query: { category: 'crm' } })).data).toHaveLength(2);
  expect((await api.listConnectors({ query: { authType: 'api_key' } })).data).toHaveLength(2);
  expect((await api.getConnector({ params: { connectorKey: 'nothing' } })).status).toBe(404);
});
