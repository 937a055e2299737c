import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { leadCreated } from '@tandem/crm-contract';
import { connectorConfigs } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import { openCallback } from '../../google.test-service.ts';
import { type Api, type Integrations, leadData, publish, startIntegrations } from '../../testing.ts';

interface Request {
  url: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  at: number;
}
type Answer = { status?: number; headers?: Record<string, string>; body?: object };

// A local Slack, and the customer's own system.
let answers: Answer[] = [];
const seen: Request[] = [];
const fixed: Record<string, object> = {
  '/api/oauth.v2.access': {
    ok: true,
    access_token: 'xoxb-ThisIsOnlyAnExample',
    token_type: 'bot',
    scope: 'chat:write,chat:write.public',
    team: { id: 'T0ACME', name: 'Acme' },
  },
  '/api/auth.test': { ok: true, team: 'Acme', team_id: 'T0ACME' },
  '/api/auth.revoke': { ok: true, revoked: true },
};
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const url = request.url as string;
  const known = fixed[url];
  const { status = 200, headers = {}, body = { ok: true } } = known ? { body: known } : (answers.shift() ?? {});
  const type = request.headers['content-type'] ?? '';
  const content = type.includes('json') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
  seen.push({ url, method: request.method as string, headers: request.headers, body: content, at: Date.now() });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
});
let url: string;
let service: Integrations;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service = await startIntegrations({
    OAUTH_SLACK_CLIENT_ID: 'tandem',
    OAUTH_SLACK_CLIENT_SECRET: 'ThisIsOnlyTheSecretOfATest',
    OAUTH_SLACK_URL: url,
  });
});
afterAll(async () => {
  await service?.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answers = [];
  seen.length = 0;
});

everyOperation(connectorConfigs, () => service as never);

const events = ['lead.created'];

async function aRestConnection(api: Api): Promise<string> {
  const credentials = { auth: 'api_key', baseUrl: `${url}/erp/?key=1`, header: 'X-Key', apiKey: 'secret' };
  return (await api.createConnection({ body: { connectorKey: 'rest', name: 'ERP', credentials } })).data.id;
}

async function aRestConfig(api: Api, { settings = {}, ...more }: { settings?: object; fieldMappings?: object[] } = {}) {
  const connectionId = await aRestConnection(api);
  const body = { connectorKey: 'rest', connectionId, settings: { events, path: 'leads', ...settings }, ...more };
  const reply = await api.createConnectorConfig({ body });
  expect(reply.status).toBe(201);
  return reply.data as { id: string; connectionId: string };
}

async function aSlackConfig(api: Api, more: object = {}) {
  const { data } = await api.authorizeConnection({ params: { provider: 'slack' }, body: {} });
  expect(new URL(data.authorizationUrl).searchParams.get('scope')).toBe('chat:write,chat:write.public');
  const done = await openCallback(service, { state: data.state, code: 'ThisIsOnlyACode' }, 'slack');
  expect([done.status, done.data.status]).toEqual([200, 'connected']);
  const body = { connectorKey: 'slack', connectionId: data.connectionId, settings: { events, channel: '#sales' } };
  return (await api.createConnectorConfig({ body: { ...body, ...more } })).data as { id: string; connectionId: string };
}

const created = (api: Api) => publish(service, leadCreated, api.caller as never, leadData());
const sentTo = (path: string) => seen.filter((request) => request.url.startsWith(path));
const hasSent = (path: string, count = 1) =>
  until(`${count} requests to ${path} arrive`, () => sentTo(path).length >= count && sentTo(path));
const configWith = (api: Api, id: string, lastError: string | null) =>
  until(`the config has the result ${lastError}`, async () => {
    const { data } = await api.getConnectorConfig({ params: { id } });
    return (data.lastSuccessAt ?? data.lastFailureAt) !== null && data.lastError === lastError && data;
  });

it('sends an event to a REST API as webhooks receive it', async () => {
  const api = service.as();
  const { id } = await aRestConfig(api);
  await created(api);
  const [request] = (await hasSent('/erp')) as [Request];
  expect([request.method, request.url, request.headers['x-key']]).toEqual(['POST', '/erp/leads?key=1', 'secret']);
  expect(request.body).toEqual({
    id: expect.any(String),
    type: 'lead.created',
    createdAt: expect.any(String),
    data: { leadId: expect.any(String), email: 'ada@example.com', source: 'web' },
  });
  expect(request.headers['idempotency-key']).toBe(request.body['id']);
  expect(await configWith(api, id, null)).toMatchObject({ lastSuccessAt: expect.any(String), version: 1 });
});

it('sends mapped fields', async () => {
  const api = service.as();
  const fieldMappings = [
    { from: 'data.email', to: 'contact.email' },
    { from: 'data.source', to: 'contact.origin' },
    { from: 'type', to: 'kind' },
    { from: 'data.sequence', to: 'number' },
  ];
  await aRestConfig(api, { fieldMappings, settings: { method: 'PUT' } });
  await created(api);
  const [request] = (await hasSent('/erp')) as [Request];
  expect([request.method, request.body]).toEqual([
    'PUT',
    { contact: { email: 'ada@example.com', origin: 'web' }, kind: 'lead.created', number: null },
  ]);
});

it('posts a message to Slack, without links and mentions of the event', async () => {
  const api = service.as();
  const fieldMappings = [{ from: 'data.email', to: 'E-mail <!channel>' }];
  const { id, connectionId } = await aSlackConfig(api, { fieldMappings });
  expect((await api.getConnection({ params: { id: connectionId } })).data).toMatchObject({
    account: { id: 'T0ACME', name: 'Acme' },
    scopes: ['chat:write', 'chat:write.public'],
    expiresAt: null,
  });
  await created(api);
  const [request] = (await hasSent('/api/chat.postMessage')) as [Request];
  expect([request.headers.authorization, request.body]).toEqual([
    'Bearer xoxb-ThisIsOnlyAnExample',
    {
      channel: '#sales',
      text: 'lead.created\nE-mail &lt;!channel&gt;: ada@example.com',
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    },
  ]);
  await configWith(api, id, null);
  await api.deleteConnection({ params: { id: connectionId } });
  await hasSent('/api/auth.revoke');
});

it('repeats a failed attempt, and tells why it failed', async () => {
  const api = service.as();
  const { id } = await aSlackConfig(api);
  answers = [{ status: 503 }, { body: { ok: false, error: 'channel_not_found' } }];
  await created(api);
  await hasSent('/api/chat.postMessage', 3);
  const { lastFailureAt } = await configWith(api, id, null);
  expect(lastFailureAt).not.toBeNull();
});

it('gives up after the last attempt of the schedule', async () => {
  const api = service.as();
  const { id } = await aRestConfig(api);
  answers = [{ status: 400 }, { status: 400 }, { status: 400 }];
  await created(api);
  await hasSent('/erp', 3);
  await configWith(api, id, 'status_400');
  await created(api);
  expect(await hasSent('/erp', 4)).toHaveLength(4);
});

it('waits as long as the system asks for', async () => {
  const api = service.as();
  await aRestConfig(api);
  answers = [{ status: 429, headers: { 'retry-after': '2' } }];
  await created(api);
  const [first, second] = (await hasSent('/erp', 2)) as [Request, Request];
  expect(second.at - first.at).toBeGreaterThanOrEqual(1_900);
});

it('tries credentials again that the system rejects, and tells when it accepts them', async () => {
  const api = service.as();
  const { id, connectionId } = await aRestConfig(api);
  const connection = async () => (await api.getConnection({ params: { id: connectionId } })).data;
  answers = [{ status: 401 }, { status: 401 }, { status: 401 }];
  await created(api);
  await hasSent('/erp', 3);
  await configWith(api, id, 'credentials_rejected');
  expect(await connection()).toMatchObject({ status: 'error', lastError: 'credentials_rejected' });
  await created(api);
  await configWith(api, id, null);
  expect(await connection()).toMatchObject({ status: 'connected', lastError: null });
});

it('sends nothing of a record that its user may not read any more', async () => {
  const userId = 900;
  const api = service.as({ userId });
  const { id } = await aRestConfig(api);
  service.permissions.set(userId, ['integrations:write']);
  await created(api);
  await configWith(api, id, 'not_permitted');
  expect(sentTo('/erp')).toEqual([]);
});

it('sends nothing while it is inactive, and becomes inactive with its connection', async () => {
  const api = service.as();
  const { id, connectionId } = await aRestConfig(api);
  const { id: otherId } = await aRestConfig(api, { settings: { path: 'other' } });
  await api.updateConnectorConfig({ params: { id }, body: { active: false } });
  await created(api);
  await hasSent('/erp/other');
  expect(sentTo('/erp/leads')).toEqual([]);
  await api.updateConnectorConfig({ params: { id }, body: { active: true } });
  await api.deleteConnection({ params: { id: connectionId } });
  expect((await api.getConnectorConfig({ params: { id } })).data).toMatchObject({
    active: false,
    inactiveReason: 'connection_deleted',
  });
  const again = { params: { id }, body: { active: true } };
  expect((await api.updateConnectorConfig(again)).body.code).toBe('connection_deleted');
  const moved = await api.updateConnectorConfig({
    params: { id },
    body: { active: true, connectionId: await aRestConnection(api) },
  });
  expect(moved.data).toMatchObject({ active: true, inactiveReason: null });
  expect((await api.deleteConnectorConfig({ params: { id } })).status).toBe(200);
  expect((await api.listConnectorConfigs()).data.map((one: { id: string }) => one.id)).toEqual([otherId]);
});

it('of others becomes inactive with a connection that its owner deletes', async () => {
  const api = service.as({ userId: 901 });
  const { tenantId } = api.caller as { tenantId: number };
  const other = service.as({ tenantId, userId: 902 });
  const connectionId = await aRestConnection(api);
  const body = { connectorKey: 'rest', connectionId, settings: { events } };
  const { data } = await other.createConnectorConfig({ body });
  const owner = service.as({ tenantId, userId: 901, can: ['integrations:delete:own'] });
  expect((await owner.deleteConnection({ params: { id: connectionId } })).status).toBe(200);
  expect((await other.getConnectorConfig({ params: { id: data.id } })).data.active).toBe(false);
});

describe('a config', () => {
  it.each([
    ['an unknown event', { settings: { events: ['lead.sneezed'] } }, 'settings.events.0'],
    ['no event', { settings: { events: [] } }, 'settings.events'],
    ['no settings', {}, 'settings.events'],
    ['a path that leaves the base address', { settings: { events, path: '../admin' } }, 'settings.path'],
    ['another host', { settings: { events, path: '//evil.example?' } }, 'settings.path'],
    [
      'an unsafe field',
      { settings: { events }, fieldMappings: [{ from: 'data.email', to: 'a.__proto__.b' }] },
      'fieldMappings.0.to',
    ],
  ])('is refused with %s', async (_, fields, field) => {
    const api = service.as();
    const body = { connectorKey: 'rest', connectionId: await aRestConnection(api), ...fields };
    const reply = await api.createConnectorConfig({ body });
    expect([reply.status, reply.body.errors?.map((one) => one.field)]).toEqual([422, [field]]);
  });

  it.each<[string, object, object[]]>([
    [
      'a field that none of its events has',
      { events },
      [
        { from: 'data.email', to: 'email' },
        { from: 'data.emial', to: 'mail' },
        { from: 'data.email.domain', to: 'domain' },
        { from: 'date', to: 'date' },
        { from: 'data.__proto__', to: 'other' },
      ],
    ],
    [
      'a field that only other events have',
      { events: ['lead.created', 'lead.deleted'] },
      [{}, { from: 'data.amount', to: 'a' }],
    ],
    ['a field of no event', { events: ['*', 'file.*'] }, [{}, { from: 'data.emial', to: 'a' }]],
  ])('is refused with %s', async (_, settings, mappings) => {
    const api = service.as();
    const fieldMappings = mappings.map((mapping) => ({ from: 'type', to: 'type', ...mapping }));
    const body = { connectorKey: 'rest', connectionId: await aRestConnection(api), settings, fieldMappings };
    const reply = await api.createConnectorConfig({ body });
    const wrong = fieldMappings.flatMap(({ from }, index) =>
      ['type', 'data.email'].includes(from) ? [] : [`fieldMappings.${index}.from`],
    );
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([422, wrong]);
    expect((await api.listConnectorConfigs()).data).toEqual([]);
  });

  it('is refused with the fields that are possible, if they are few', async () => {
    const api = service.as();
    const messageOf = async (settings: object) => {
      const fieldMappings = [{ from: 'data.emial', to: 'email' }];
      const body = { connectorKey: 'rest', connectionId: await aRestConnection(api), settings, fieldMappings };
      return (await api.createConnectorConfig({ body })).body.errors?.[0]?.message;
    };
    expect(await messageOf({ events })).toBe(
      'Must be one of id, type, createdAt, data.sequence, data.leadId, data.email, data.source',
    );
    expect(await messageOf({ events: ['*'] })).toContain('GET /v1/integrations/webhooks/catalog');
  });

  it('is refused with two mappings to one field, or to a field inside of another', async () => {
    const api = service.as();
    const fieldMappings = ['contact', 'kind', 'contact.email', 'kind', 'lead.id', 'lead', 'kinds'].map((to) => ({
      from: 'data.email',
      to,
    }));
    const body = {
      connectorKey: 'rest',
      connectionId: await aRestConnection(api),
      settings: { events },
      fieldMappings,
    };
    const reply = await api.createConnectorConfig({ body });
    expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([
      422,
      ['fieldMappings.2.to', 'fieldMappings.3.to', 'fieldMappings.5.to'],
    ]);
  });

  it('can map fields inside of free-form parts, and of each of its events', async () => {
    const api = service.as();
    const settings = { events: ['lead.created', 'form.submitted'], path: 'leads' };
    const froms = ['id', 'type', 'createdAt', 'data', 'data.sequence', 'data.leadId', 'data.fields.company.size'];
    const fieldMappings = froms.map((from, index) => ({ from, to: `field${index}` }));
    await aRestConfig(api, { settings, fieldMappings });
  });

  it('is refused for a connection of another connector or tenant', async () => {
    const api = service.as();
    const connectionId = await aRestConnection(api);
    const fieldsOf = async (body: object, as = api) =>
      (await as.createConnectorConfig({ body })).body.errors?.map((one) => one.field);
    const settings = { events, channel: 'C1' };
    expect(await fieldsOf({ connectorKey: 'stripe', connectionId })).toEqual(['connectionId']);
    expect(await fieldsOf({ connectorKey: 'slack', connectionId, settings })).toEqual(['connectionId']);
    expect(await fieldsOf({ connectorKey: 'rest', connectionId, settings }, service.as())).toEqual(['connectionId']);
  });

  it('needs the permission to read the records of its events', async () => {
    const api = service.as({ can: ['integrations:read', 'integrations:write'] });
    const connectionId = await aRestConnection(api);
    const body = { connectorKey: 'rest', connectionId, settings: { events } };
    const reply = await api.createConnectorConfig({ body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([403, 'settings.events.0']);
  });
});
