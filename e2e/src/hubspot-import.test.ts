import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { type Hubspot, startHubspot, until } from '@tandem/testing';

const longAgo = '2026-01-01T00:00:00.000Z';
const consoleUrl = 'https://console.tandem.example';
const waitMs = 180_000;

let hubspot: Hubspot;
let fleet: TestFleet;
beforeAll(async () => {
  hubspot = await startHubspot();
  fleet = await startFleet({
    services: ['identity', 'crm', 'integrations'],
    env: { CONSOLE_URL: consoleUrl, ...hubspot.settings },
  });
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await hubspot?.close();
}, 90_000);

type Api = TestTenant['api'];

function put(kind: Parameters<Hubspot['put']>[0], id: number, properties: object, more: object = {}) {
  hubspot.put(kind, { id: String(id), properties: { ...properties }, updatedAt: longAgo, ...more });
}

/** Connects HubSpot as a user does in a browser; returns the id of the connection. */
async function connect(api: Api): Promise<string> {
  const { data: begun } = await api.authorizeConnection({
    params: { provider: 'hubspot' },
    body: { redirectUri: `${consoleUrl}/integrations` },
  });
  const { searchParams } = new URL(begun.authorizationUrl);
  expect(searchParams.get('scope')).toBe(
    'oauth crm.objects.companies.read crm.objects.contacts.read crm.objects.deals.read',
  );
  const callback = new URL(searchParams.get('redirect_uri') as string);
  callback.search = new URLSearchParams({ code: 'good-code', state: searchParams.get('state') as string }).toString();
  const arrived = await fetch(fleet.baseUrl + callback.pathname + callback.search, { redirect: 'manual' });
  expect(Object.fromEntries(new URL(arrived.headers.get('location') as string).searchParams)).toEqual({
    ...{ status: 'connected', connectionId: begun.connectionId },
  });
  return begun.connectionId;
}

/** Creates a config that syncs only on request. */
async function configure(api: Api, connectionId: string, more: { settings?: object; fieldMappings?: object[] } = {}) {
  const { data } = await api.createConnectorConfig({
    body: {
      ...{ connectorKey: 'hubspot', connectionId },
      settings: { ...more.settings, everyMinutes: null },
      fieldMappings: (more.fieldMappings ?? []) as { from: string; to: string }[],
    },
  });
  return data.id;
}

/** Starts a sync. */
const start = async (api: Api, id: string) => (await api.syncConnectorConfig({ params: { id }, body: {} })).data.id;

/** Waits for the end of a run; returns its counts without those that are zero. */
async function ended(api: Api, id: string, runId: string) {
  const run = await until(
    'the run ends',
    async () => {
      // While integrations restarts, the gateway answers 503.
      const reply = await api.getConnectorRun({ params: { id, runId } }).catch(() => undefined);
      return reply && !['queued', 'running', 'waiting'].includes(reply.data.status) && reply.data;
    },
    waitMs,
  );
  const failed = await api.listConnectorRunItems({ params: { id, runId }, query: { action: 'failed' } });
  expect(failed.data).toEqual([]);
  expect([run.status, run.error]).toEqual(['succeeded', null]);
  return Object.fromEntries(Object.entries(run.counts).filter(([, count]) => count > 0));
}

const sync = async (api: Api, id: string) => ended(api, id, await start(api, id));

it('imports companies, contacts and deals of HubSpot, and later what has changed', async () => {
  put('companies', 1, { name: 'Acme', domain: 'acme.example', industry: 'MACHINERY', staff: '250' });
  put('companies', 2, { name: 'Beta', domain: 'beta.example' });
  const ofAcme = { associations: { companies: ['1'] } };
  put(
    'contacts',
    11,
    { email: 'ada@acme.example', firstname: 'Ada', lastname: 'Lovelace', jobtitle: 'Countess' },
    ofAcme,
  );
  put('contacts', 12, { email: 'known@example.com', firstname: 'Grace', lastname: 'Hopper', phone: '030 1' });
  put('contacts', 13, { firstname: 'Nobody' });
  const price = { amount: '1500.50', deal_currency_code: 'EUR', closedate: '2026-12-31T00:00:00Z' };
  const ofAda = { associations: { companies: ['1'], contacts: ['11'] } };
  put('deals', 21, { dealname: 'Engine', ...price, dealstage: 'q1', hs_is_closed: 'false' }, ofAda);
  put('deals', 22, { dealname: 'Won', ...price, hs_is_closed_won: 'true', hs_is_closed: 'true' });
  put('deals', 23, { dealname: 'Lost', hs_is_closed: 'true', closed_lost_reason: 'Too expensive' });

  const { api } = await aTenant(fleet);
  const { data: known } = await api.createLead({
    body: { email: 'known@example.com', firstName: 'G', lastName: 'H', source: 'web' },
  });
  const connectionId = await connect(api);
  const fieldMappings = [
    { from: 'properties.staff', to: 'account.size' },
    { from: 'properties.jobtitle', to: 'lead.customFields.title' },
  ];
  const { data: preview } = await api.previewConnection({
    params: { id: connectionId },
    body: { settings: { objects: ['companies'] }, fieldMappings },
  });
  expect(
    preview.records.map(({ kind, externalId, result, errors }) => [kind, externalId, result['size'], errors]),
  ).toEqual([
    ['account', '1', 250, []],
    ['account', '2', undefined, []],
  ]);
  const settings = { stages: { q1: 'proposal' } };
  const id = await configure(api, connectionId, { settings, fieldMappings });
  expect(await sync(api, id)).toEqual({ created: 6, updated: 1, skipped: 1 });

  const { data: accounts } = await api.listAccounts({ query: { sort: 'name' } });
  expect(accounts).toMatchObject([
    { name: 'Acme', domain: 'acme.example', industry: 'machinery', size: 250, externalId: 'hubspot:1' },
    { name: 'Beta', externalId: 'hubspot:2' },
  ]);
  expect((await api.listAccounts({ query: { externalId: 'hubspot:2' } })).data).toMatchObject([{ name: 'Beta' }]);
  const { data: leads } = await api.listLeads({ query: { sort: 'lastName' } });
  expect(leads).toMatchObject([
    { id: known.id, firstName: 'Grace', lastName: 'Hopper', source: 'web', phone: null, externalId: 'hubspot:12' },
    { email: 'ada@acme.example', source: 'import', accountId: accounts[0]?.id, customFields: { title: 'Countess' } },
  ]);
  const { data: deals } = await api.listOpportunities({ query: { sort: 'name' } });
  expect(deals).toMatchObject([
    { name: 'Engine', value: 1500.5, currency: 'EUR', status: 'open', stage: 'proposal', accountId: accounts[0]?.id },
    { name: 'Lost', status: 'lost', outcome: { reasonCode: 'other', note: 'Too expensive' } },
    { name: 'Won', status: 'won', leadId: null },
  ]);
  expect(deals[0]?.leadId).toBe(leads[1]?.id);

  expect(await sync(api, id)).toEqual({});
  put(
    'contacts',
    11,
    { email: 'ada@acme.example', firstname: 'Augusta', lastname: 'Lovelace' },
    { ...ofAcme, updatedAt: undefined },
  );
  put(
    'deals',
    21,
    { dealname: 'Engine', ...price, hs_is_closed_won: 'true', hs_is_closed: 'true' },
    { ...ofAda, updatedAt: undefined },
  );
  hubspot.archive('companies', '2');
  await api.deleteLead({ params: { id: known.id } });
  put('contacts', 12, { email: 'known@example.com', firstname: 'Changed' }, { updatedAt: undefined });
  expect(await sync(api, id)).toEqual({ updated: 2, skipped: 2 });
  expect((await api.getLead({ params: { id: leads[1]?.id as string } })).data.firstName).toBe('Augusta');
  expect((await api.getOpportunity({ params: { id: deals[0]?.id as string } })).data.status).toBe('won');
  expect((await api.listLeads({ query: {} })).data).toHaveLength(1);
  const { data: runs } = await api.listConnectorRuns({ params: { id }, query: {} });
  const params = { id, runId: runs[0]?.id as string };
  const { data: items } = await api.listConnectorRunItems({ params, query: { action: 'skipped' } });
  expect(items.map(({ kind, reason }) => `${kind} ${reason}`).sort()).toEqual([
    ...['account deleted_at_source', 'lead record_deleted'],
  ]);
}, 300_000);

it('continues an import whose service is killed, without duplicates', async () => {
  const count = 350;
  for (let number = 1; number <= count; number++) {
    const email = `contact${number}@killed.example`;
    put('contacts', 1_000 + number, { email, firstname: 'Ada', lastname: `L${number}` });
    put(
      'deals',
      1_000 + number,
      { dealname: `Deal ${number}` },
      { associations: { contacts: [String(1_000 + number)] } },
    );
  }
  const { api } = await aTenant(fleet, { ratePerMinute: 100_000 });
  const id = await configure(api, await connect(api), { settings: { objects: ['contacts', 'deals'] } });
  // Records of the other test are imported, too.
  const searches = { listLeads: 'killed.example', listOpportunities: 'Deal ' };
  const totalOf = async (list: keyof typeof searches) =>
    (await api[list]({ query: { limit: 1, search: searches[list] } })).pagination?.total ?? 0;
  const reached = (list: keyof typeof searches, total: number) =>
    until(`${list} has ${total} records`, async () => (await totalOf(list)) >= total, waitMs);

  const runId = await start(api, id);
  await reached('listLeads', 130);
  fleet.kill('integrations');
  await reached('listOpportunities', 40);
  fleet.kill('integrations');
  const counts = await ended(api, id, runId);
  expect([await totalOf('listLeads'), await totalOf('listOpportunities')]).toEqual([count, count]);
  expect(counts['failed']).toBeUndefined();
  const { data: deals } = await api.listOpportunities({ query: { limit: 100 } });
  const leadIds = deals.flatMap(({ name, leadId }) => (name.startsWith('Deal ') ? [leadId] : []));
  expect(leadIds).not.toContain(null);
  expect(new Set(leadIds).size).toBe(leadIds.length);
}, 400_000);
