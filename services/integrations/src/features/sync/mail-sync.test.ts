import { type ImapServer, startImapServer, until } from '@tandem/testing';
import { anInvoice, startStripe } from '../../connectors/stripe.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';
import { type Peers, startPeers } from './targets/peers.test-service.ts';

let peers: Peers;
let mailbox: ImapServer;
let stripe: Awaited<ReturnType<typeof startStripe>>;
let service: Integrations;
beforeAll(async () => {
  [peers, mailbox, stripe] = await Promise.all([startPeers(), startImapServer(), startStripe()]);
  service = await startIntegrations({ CRM_URL: peers.url, CAMPAIGN_URL: peers.url, STRIPE_URL: stripe.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([peers?.close(), mailbox?.close(), stripe?.close()]);
});
beforeEach(() => {
  peers.calls.length = 0;
});

/** Connects a system and configures its sync. */
async function aConfig(api: Api, connectorKey: string, credentials: object, settings: object = {}) {
  const connection = await api.createConnection({ body: { connectorKey, name: 'Test', credentials } });
  expect(connection.status).toBe(201);
  const body = { connectorKey, connectionId: connection.data.id, settings: { everyMinutes: null, ...settings } };
  const config = await api.createConnectorConfig({ body });
  expect(config.status).toBe(201);
  return { id: config.data.id as string };
}

/** Runs a sync to its end; returns it with its items. */
async function aRun(api: Api, params: { id: string }) {
  const { data: started } = await api.syncConnectorConfig({ params, body: {} });
  const ofRun = { ...params, runId: started.id as string };
  const run = await until('the run ends', async () => {
    const { data } = await api.getConnectorRun({ params: ofRun });
    return data.status !== 'queued' && data.status !== 'running' && data;
  });
  return { run, items: (await api.listConnectorRunItems({ params: ofRun })).data };
}

const received = '/internal/mail/received';
const messagesOf = () =>
  peers.calls.filter(({ path }) => path === received).flatMap(({ body }) => body['messages'] as { header: string }[]);

it('finds a reply in a connected mailbox, and reads each message once', async () => {
  const api = service.as({ userId: 7 });
  peers.answer(received, ({ body }) => {
    const [{ header }] = body['messages'] as [{ header: string }];
    return { data: { results: [header.includes('In-Reply-To') ? 'replied' : 'unrelated'] } };
  });
  const credentials = { host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' };
  const params = await aConfig(api, 'imap', credentials, { folder: 'INBOX' });
  mailbox.append('Message-ID: <a@example.com>\nSubject: News\n\nSecret');
  const uid = mailbox.append('Message-ID: <b@example.com>\nIn-Reply-To: <c@tandem.example>\n\nSecret');
  const { run, items } = await aRun(api, params);
  expect(run).toMatchObject({ status: 'succeeded', error: null, counts: { updated: 1, unchanged: 1, failed: 0 } });
  expect(items).toMatchObject([{ kind: 'mail', externalId: `7-${uid}`, action: 'updated', reason: 'replied' }]);
  expect(messagesOf().map(({ header }) => header)).toEqual([
    'Message-ID: <a@example.com>\r\nSubject: News',
    'Message-ID: <b@example.com>\r\nIn-Reply-To: <c@tandem.example>',
  ]);
  expect(peers.calls[0]?.caller).toMatchObject({ type: 'system', tenantId: api.caller.tenantId, userId: 7 });
  expect((await aRun(api, params)).run.counts).toMatchObject({ updated: 0, unchanged: 0 });
  expect(messagesOf()).toHaveLength(2);
});

it('ends a run with the reason when the folder does not exist', async () => {
  const api = service.as();
  const credentials = { host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' };
  const params = await aConfig(api, 'imap', credentials, { folder: 'Nowhere' });
  expect((await aRun(api, params)).run).toMatchObject({ status: 'failed', error: 'request_rejected' });
});

it('needs the permission to change campaigns', async () => {
  const api = service.as({ can: ['integrations:write', 'integrations:read'] });
  const credentials = { host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' };
  const { data } = await api.createConnection({ body: { connectorKey: 'imap', name: 'Test', credentials } });
  const reply = await api.createConnectorConfig({ body: { connectorKey: 'imap', connectionId: data.id } });
  expect([reply.status, reply.body.errors?.[0]?.message]).toEqual([403, 'Requires campaigns:write']);
});

it('names the setting that is invalid, and refuses field mappings', async () => {
  const api = service.as();
  const credentials = { host: '127.0.0.1', port: mailbox.port, username: 'ada', password: 'a"b\\c' };
  const { data } = await api.createConnection({ body: { connectorKey: 'imap', name: 'Test', credentials } });
  const body = {
    connectorKey: 'imap',
    connectionId: data.id,
    settings: { folder: '' },
    fieldMappings: [{ from: 'uid', to: 'activity.subject' }],
  };
  const reply = await api.createConnectorConfig({ body });
  expect([reply.status, reply.body.errors?.map(({ field }) => field)]).toEqual([
    422,
    ['settings.folder', 'fieldMappings.0.to'],
  ]);
});

it('logs events of Stripe on the lead with the address, and skips strangers', async () => {
  const api = service.as();
  peers.answer('/internal/leads/find-by-email', () => ({ data: [] }));
  const params = await aConfig(api, 'stripe', { apiKey: 'sk_test_valid' });
  const id = stripe.event('invoice.paid', anInvoice('cus_1'));
  const { run, items } = await aRun(api, params);
  expect(run).toMatchObject({ status: 'succeeded', counts: { skipped: 1, failed: 0 } });
  expect(items).toMatchObject([{ kind: 'activity', externalId: id, action: 'skipped', reason: 'no_lead' }]);
  expect(peers.calls.map(({ body }) => body)).toEqual([{ email: 'ada@example.com' }]);
});
