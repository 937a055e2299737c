import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTenant } from '@tandem/e2e';
import { operations } from '@tandem/e2e';
import { fleet as contracts } from '@tandem/gateway/contracts';
import pg from 'pg';
import { countCost } from './cost.ts';
import { median } from './numbers.ts';
import type { Place } from './place.ts';
import { cpuByProcess } from './processes.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';
import { type Measured, runLoad } from './wrk.ts';

/** One operation under load; its method and path come from its contract row. */
interface Call {
  operation: keyof typeof operations & string;
  /** Values of the path parameters; `{id}` is replaced by one of `ids`. */
  params?: Record<string, string>;
  query?: string;
  /** `{n}` is replaced by a number unique to the request, `{id}` by one of `ids`. */
  body?: object;
  ids?: string[];
  /** Whether each id can be used only once. */
  isOnce?: boolean;
  /** Reason why this operation has no goal. */
  exempt?: string;
}

const connections = 16;
const fleetWarmSeconds = 5;
const coldSeconds = 1;
const warmSeconds = 2;
const seconds = 2;
const rounds = 3;
const goal = 300;
const createConcurrency = 16;
const idleCheckMs = 400;
const idleChecksMax = 100;
// Ten idle services and three idle stores use about an eighth of a core.
const idleShareMax = 0.3;

/**
 * Measures every operation that the specification shows, one by one, through the gateway.
 * @param only names of operations (`convertLead`); all if empty
 */
export async function measureOperations(place: Place, only: readonly string[] = []): Promise<Row[]> {
  await Promise.all(place.members.map(({ name }) => place.startMember(name)));
  const tenant = await place.aTenant();
  const rows: Row[] = [];
  place.log('warming up');
  const { live } = tenant;
  await runLoad(place.programs, {
    url: `${place.baseUrl}/v1/leads`,
    headers: { 'X-API-Key': live },
    connections,
    seconds: fleetWarmSeconds,
  });
  const isWanted = (operation: string) => !only.length || only.includes(operation);
  for (const { services, make } of groups) {
    if (!services.some((service) => Object.keys(contracts[service]).some(isWanted))) continue;
    place.log('preparing');
    const calls = (await make(tenant)).filter(({ operation }) => isWanted(operation));
    for (const call of calls) rows.push(await measure(place, tenant, call));
  }
  return rows;
}

/** Operations that are prepared and measured together, with their services. */
const groups: { services: (keyof typeof contracts)[]; make: (tenant: TestTenant) => Promise<Call[]> }[] = [
  { services: ['crm'], make: crmCalls },
  { services: ['identity'], make: identityCalls },
  { services: ['partner'], make: partnerCalls },
  { services: ['campaign'], make: campaignCalls },
  { services: ['training', 'files', 'search', 'analytics', 'agents', 'integrations'], make: restCalls },
];

/** Waits until the fleet is idle: all earlier events have been relayed, consumed and delivered. */
async function waitUntilIdle({ dir, log }: Place): Promise<void> {
  const spent = () => [...cpuByProcess(join(dir, 'run')).values()].reduce((all, seconds) => all + seconds, 0);
  for (let check = 0; check < idleChecksMax; check++) {
    const before = spent();
    await pause(idleCheckMs);
    if ((spent() - before) * 1_000 < idleCheckMs * idleShareMax) return;
  }
  log('the fleet did not become idle');
}

async function databases(place: Place): Promise<pg.Client[]> {
  const withDatabase = place.members.filter(({ hasDatabase }) => hasDatabase);
  const clients = withDatabase.map(({ name }) => new pg.Client({ connectionString: place.databaseUrl(name) }));
  for (const client of clients) await client.connect();
  return clients;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Runs what autovacuum would do within a minute. Until then, plans made for empty tables stay in use. */
async function analyze(place: Place): Promise<void> {
  for (const client of await databases(place)) {
    await client.query('VACUUM ANALYZE');
    await client.end();
  }
}

async function measure(place: Place, tenant: TestTenant, call: Call): Promise<Row> {
  const row = operations[call.operation];
  place.log(row.summary);
  const path =
    row.path.replace(/\/:(\w+)/g, (_, name: string) => `/${call.params?.[name] ?? '{id}'}`) + (call.query ?? '');
  const file = join(place.dir, 'tmp/call-ids');
  let used = 0;
  const load = async (length: number) => {
    const ids = call.ids?.slice(used);
    if (ids) writeFileSync(file, `${ids.join('\n')}\n`);
    const run = await runLoad(place.programs, {
      url: place.baseUrl,
      headers: { 'X-API-Key': tenant.live },
      connections,
      seconds: length,
      script: 'call.lua',
      env: {
        CALL_METHOD: row.method,
        CALL_PATH: path,
        RUN: randomBytes(3).toString('hex'),
        ...(call.body && { CALL_BODY: JSON.stringify(call.body) }),
        ...(ids && { CALL_IDS: file }),
        ...(call.isOnce && { CALL_ONCE: '1' }),
      },
    });
    if (!call.isOnce) return run;
    // At the end of a run, each connection may have used one more id.
    used += run.answers + connections;
    if (used >= (call.ids?.length ?? 0))
      throw new Error(`${call.operation} used up its ids before the measuring time ended`);
    return run;
  };
  await waitUntilIdle(place);
  await load(coldSeconds);
  await analyze(place);
  sampleReference();
  // Warm up again with the new plans. The runs follow at once, so that as many events are pending before as after them.
  await load(warmSeconds);
  const cost = countCost(place);
  const runs: Measured[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await load(seconds));
  const perSecond = median(runs.map((run) => run.perSecond));
  const p99 = median(runs.map((run) => run.p99));
  return {
    id: call.operation,
    what: row.summary,
    goal: call.exempt ? '' : `≥ ${goal}/s`,
    reached: `${Math.round(perSecond)}/s`,
    detail: [`p99 ${Math.round(p99)} ms`, cost(runs), ...(call.exempt ? [call.exempt] : [])].join('; '),
    ...(!call.exempt && { isReached: perSecond >= goal }),
  };
}

/** Creates records concurrently and returns their ids. */
async function createMany(count: number, make: (n: number) => Promise<{ data: { id: string } }>): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) ids.push((await make(next++)).data.id);
  };
  await Promise.all(Array.from({ length: createConcurrency }, worker));
  return ids;
}

const aName = { firstName: 'Ada', lastName: 'Lovelace' };
const leadsOf = ({ api }: TestTenant, count: number) => {
  const run = randomBytes(3).toString('hex');
  return createMany(count, (n) =>
    api.createLead({ body: { email: `l${run}${n}@example.com`, firstName: `A${run}${n}`, lastName: `B${n}` } }),
  );
};

async function crmCalls(tenant: TestTenant): Promise<Call[]> {
  const leads = await leadsOf(tenant, 13_000);
  const opportunities = await createMany(6_500, async (n) => {
    const { data } = await tenant.api.convertLead({
      body: { leadId: leads.shift() as string, value: n, currency: 'EUR' },
    });
    return { data: { id: data.id } };
  });
  const tasks = await createMany(300, (n) => tenant.api.createTask({ body: { title: `Call ${n}` } }));
  return [
    { operation: 'convertLead', ids: leads, isOnce: true, body: { leadId: '{id}', value: 4_800, currency: 'EUR' } },
    { operation: 'listOpportunities', query: '?limit=20' },
    { operation: 'getOpportunity', ids: opportunities },
    { operation: 'winOpportunity', ids: opportunities, isOnce: true, body: {} },
    { operation: 'createTask', body: { title: 'Call {n}', type: 'call', dueAt: '2030-01-15T09:00:00Z' } },
    { operation: 'listTasks', query: '?limit=20&status=pending' },
    { operation: 'getTask', ids: tasks },
    { operation: 'createStatus', body: { code: 's_{n}', name: 'Status {n}', color: 'blue' } },
    { operation: 'listStatuses', query: '?entityType=opportunity' },
  ];
}

async function identityCalls({ api, userId }: TestTenant): Promise<Call[]> {
  const run = randomBytes(3).toString('hex');
  const users = await createMany(200, (n) =>
    api.createUser({ body: { email: `m${run}${n}@example.com`, password: 'correct horse battery', ...aName } }),
  );
  const subscription = (await api.listSubscriptions()).data[0]?.id as string;
  return [
    {
      operation: 'createUser',
      body: { email: 'u{n}@example.com', password: 'correct horse battery', ...aName },
      exempt: 'slow on purpose: password hashing',
    },
    { operation: 'listUsers', query: '?limit=20' },
    { operation: 'createTeam', ids: users, body: { name: 'Team {n}', memberIds: ['{id}'] } },
    { operation: 'listTeams', query: '?limit=20' },
    { operation: 'getCurrentTenant' },
    { operation: 'listAddonCatalog', query: '?limit=20&search=partner' },
    { operation: 'listSubscriptions' },
    { operation: 'getSubscription', params: { id: subscription } },
    { operation: 'getSubscriptionUsage', params: { id: subscription } },
    { operation: 'createNotification', body: { title: 'News {n}', body: 'Something happened', userIds: [userId] } },
    { operation: 'listNotifications', query: '?limit=20' },
  ];
}

async function partnerCalls({ api }: TestTenant): Promise<Call[]> {
  const run = randomBytes(3).toString('hex');
  const partners = await createMany(8_000, (n) =>
    api.createPartner({ body: { email: `p${run}${n}@example.com`, ...aName } }),
  );
  const first = partners[0] as string;
  const resource = {
    name: 'Brochure {n}',
    category: 'print',
    sourceType: 'file',
    fileUrl: 'https://example.com/a.pdf',
  };
  const { data } = await api.createCoMarketingResource({
    body: { ...resource, name: 'Shared', shareEnabled: true } as never,
  });
  const { id, shareToken } = data as { id: string; shareToken: string };
  return [
    { operation: 'createPartner', body: { email: 'q{n}@example.com', ...aName, company: 'Company {n}' } },
    { operation: 'listPartners', query: '?limit=20' },
    { operation: 'getPartner', ids: partners },
    { operation: 'approvePartner', ids: partners.slice(1), isOnce: true, body: {} },
    { operation: 'listCommissionStatements', params: { id: first } },
    { operation: 'createCoMarketingResource', body: resource },
    { operation: 'listCoMarketingResources', query: '?limit=20' },
    { operation: 'getCoMarketingResource', params: { id } },
    { operation: 'recordCoMarketingUsage', params: { id }, body: { action: 'download' } },
    { operation: 'getSharedResource', params: { token: shareToken } },
  ];
}

async function campaignCalls({ api }: TestTenant): Promise<Call[]> {
  const campaigns = await createMany(300, (n) => api.createCampaign({ body: { name: `Campaign ${n}` } }));
  const mail = {
    nodeId: 'mail',
    type: 'email',
    position: { x: 0, y: 120 },
    data: { label: 'Mail', subjectLine: 'Hello' },
  };
  const start = { nodeId: 'start', type: 'trigger', position: { x: 0, y: 0 }, data: { label: 'Start' } };
  return [
    { operation: 'createCampaign', body: { name: 'Campaign {n}', type: 'email' } },
    { operation: 'listCampaigns', query: '?limit=20' },
    { operation: 'getCampaign', ids: campaigns },
    {
      operation: 'createWorkflow',
      body: { name: 'Flow {n}', nodes: [start, mail], edges: [{ edgeId: 'e', source: 'start', target: 'mail' }] },
    },
    { operation: 'listWorkflows', query: '?limit=20' },
  ];
}

async function restCalls(tenant: TestTenant): Promise<Call[]> {
  const { api } = tenant;
  const leads = await leadsOf(tenant, 6_500);
  const courses = await createMany(300, (n) => api.createCourse({ body: { title: `Course ${n}` } }));
  const agent = (await api.listAgents({ query: { kind: 'recommender' } })).data[0]?.id as string;
  return [
    { operation: 'createCourse', body: { title: 'Course {n}' } },
    { operation: 'listCourses', query: '?limit=20' },
    { operation: 'getCourse', ids: courses },
    { operation: 'listFiles', query: '?limit=20' },
    {
      operation: 'indexDocument',
      body: { type: 'lead', id: 'own-{n}', data: { name: 'Ada {n}', company: 'Engines' } },
    },
    { operation: 'searchLeads', query: '?q=ada&limit=20' },
    { operation: 'searchOpportunities', query: '?q=ada&limit=20' },
    { operation: 'searchPartners', query: '?q=lovelace&limit=20' },
    { operation: 'autocomplete', query: '?q=lov' },
    { operation: 'recordEvent', body: { eventType: 'email_open', messageId: 'm-{n}' } },
    { operation: 'listRecordedEvents', query: '?limit=20' },
    { operation: 'listAgents' },
    { operation: 'getAgentDashboard' },
    { operation: 'runAgentInBulk', params: { id: agent }, ids: leads, isOnce: true, body: { leadIds: ['{id}'] } },
    { operation: 'listWebhooks' },
    { operation: 'getWebhookCatalog' },
  ];
}
