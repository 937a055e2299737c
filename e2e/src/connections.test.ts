import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// A local Slack, as its documentation describes it.
const messages: { authorization: string | undefined; body: { channel: string; text: string } }[] = [];
const codes = new Map([['good-code', 'xoxb-ThisIsOnlyAnExample']]);
const revoked: string[] = [];
const slack = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { authorization } = request.headers;
  response.setHeader('content-type', 'application/json');
  const answer = (body: object) => response.end(JSON.stringify(body));
  if (request.url === '/api/oauth.v2.access') {
    const form = new URLSearchParams(text);
    const token = codes.get(form.get('code') ?? '');
    if (!token || !form.get('code_verifier')) return answer({ ok: false, error: 'invalid_code' });
    return answer({ ok: true, access_token: token, token_type: 'bot', scope: 'chat:write' });
  }
  if (request.url === '/api/auth.test') return answer({ ok: true, team: 'Acme', team_id: 'T0ACME' });
  if (request.url === '/api/auth.revoke') revoked.push(authorization as string);
  if (request.url === '/api/chat.postMessage') messages.push({ authorization, body: JSON.parse(text) });
  return answer({ ok: true });
});
const consoleUrl = 'https://console.tandem.example';
let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    env: {
      CONSOLE_URL: consoleUrl,
      OAUTH_SLACK_CLIENT_ID: 'tandem',
      OAUTH_SLACK_CLIENT_SECRET: 'ThisIsOnlyTheSecretOfATest',
      OAUTH_SLACK_URL: `http://127.0.0.1:${(slack.address() as AddressInfo).port}`,
    },
  });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  slack.closeAllConnections();
  slack.close();
}, 60_000);

it('connects Slack in a browser, posts a message about a new lead, and revokes the access', async () => {
  const { api } = tenant;
  const { data: begun } = await api.authorizeConnection({
    params: { provider: 'slack' },
    body: { redirectUri: `${consoleUrl}/integrations` },
  });
  const { searchParams } = new URL(begun.authorizationUrl);
  const callback = new URL(searchParams.get('redirect_uri') as string);
  // The browser of the user, which has no credentials.
  callback.search = new URLSearchParams({ code: 'good-code', state: searchParams.get('state') as string }).toString();
  const arrived = await fetch(fleet.baseUrl + callback.pathname + callback.search, { redirect: 'manual' });
  expect(arrived.status).toBe(302);
  const location = new URL(arrived.headers.get('location') as string);
  expect(location.origin + location.pathname).toBe(`${consoleUrl}/integrations`);
  expect(Object.fromEntries(location.searchParams)).toEqual({ status: 'connected', connectionId: begun.connectionId });

  const params = { id: begun.connectionId };
  const { data: connection } = await api.getConnection({ params });
  expect(connection).toMatchObject({ status: 'connected', account: { id: 'T0ACME', name: 'Acme' } });
  const { data: config } = await api.createConnectorConfig({
    body: {
      connectorKey: 'slack',
      connectionId: connection.id,
      settings: { events: ['lead.created'], channel: '#sales' },
      fieldMappings: [{ from: 'data.email', to: 'E-mail' }],
    },
  });
  await api.createLead({ body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' } });
  const [message] = await until('the message arrives', () => messages.length > 0 && messages);
  expect(message).toMatchObject({
    authorization: 'Bearer xoxb-ThisIsOnlyAnExample',
    body: { channel: '#sales', text: 'lead.created\nE-mail: ada@example.com' },
  });

  await api.deleteConnection({ params });
  await until('the access is revoked', () => revoked.includes('Bearer xoxb-ThisIsOnlyAnExample'));
  expect((await api.getConnectorConfig({ params: { id: config.id } })).data).toMatchObject({
    active: false,
    inactiveReason: 'connection_deleted',
  });
});
