import { randomBytes } from 'node:crypto';
import type { fleet as contracts } from '@tandem/gateway/contracts';
import type { operations, TestTenant } from '@tandem/test-fleet';

/** One operation under load; its method and path come from its contract row. */
export interface Call {
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

const createConcurrency = 16;

/** Operations that are prepared and measured together, with their services. */
export const groups: { services: (keyof typeof contracts)[]; make: (tenant: TestTenant) => Promise<Call[]> }[] = [
  { services: ['crm'], make: crmCalls },
  { services: ['identity'], make: identityCalls },
  { services: ['partner'], make: partnerCalls },
  { services: ['campaign'], make: campaignCalls },
  { services: ['training', 'files', 'search', 'analytics', 'agents', 'integrations'], make: restCalls },
];

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
