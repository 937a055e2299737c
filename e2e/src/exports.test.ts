import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';
import { upload } from './upload.ts';

const many = Number(process.env['EXPORT_LEADS'] ?? 20_000);
const waitMs = 240_000;

let fleet: TestFleet;
let tenant: TestTenant;
let databases: Record<'crm' | 'analytics', Tables>;
beforeAll(async () => {
  fleet = await startFleet({
    services: ['identity', 'crm', 'analytics', 'partner', 'campaign', 'training', 'files', 'integrations'],
  });
  tenant = await aTenant(fleet);
  const open = (name: string) => openTables(fleet.environment[name]?.['DATABASE_URL'] as string);
  databases = { crm: await open('crm'), analytics: await open('analytics') };
}, 240_000);
afterAll(async () => {
  await Promise.all(Object.values(databases ?? {}).map((one) => one.close()));
  await fleet?.stop();
}, 60_000);

type Api = TestTenant['api'];
type Body = Parameters<Api['createExport']>[0]['body'];

const aLead = (name: string, fields: object = {}) => ({
  email: `${name}@example.com`,
  firstName: 'Ada',
  lastName: 'Lovelace',
  ...fields,
});

const reaches = (api: Api, id: string, status: string) =>
  until(
    `the export is ${status}`,
    async () => {
      const { data } = await api.getExport({ params: { id } });
      return data.status === status && data;
    },
    waitMs,
  );

async function exported(api: Api, body: Body) {
  const { data } = await api.createExport({ body });
  return reaches(api, data.id, 'completed');
}

/** The lines of a CSV file without their names of columns. */
async function linesOf({ downloadUrl }: { downloadUrl: string | null }): Promise<string[]> {
  const response = await fetch(downloadUrl as string);
  expect(response.status).toBe(200);
  return (await response.text()).split('\r\n').slice(1, -1);
}

/** A user with these permissions, signed in. */
async function aUser(permissions: string[]) {
  const { data: role } = await tenant.owner.createRole({ body: { name: permissions.join(), permissions } });
  const [email, password] = [`user${Date.now()}@example.com`, 'a long phrase is best'];
  const person = { email, password, firstName: 'Grace', lastName: 'Hopper', roleId: role.id };
  const { data: user } = await tenant.owner.createUser({ body: person });
  const { data } = await fleet.api().login({ body: { email, password } });
  return { id: user.id, api: fleet.api({ accessToken: tokensOf(data).accessToken, tenantId: tenant.id }) };
}

it('a key exports the leads that a word finds, with public ids and without formulas', async () => {
  const { api } = tenant;
  const { data: first } = await api.createLead({ body: aLead('one', { lastName: 'Zuse', firstName: '=1+1' }) });
  await api.createLead({ body: aLead('two') });
  const { data: third } = await api.createLead({ body: aLead('three', { lastName: 'Zuse' }) });
  const body: Body = { source: 'leads', format: 'csv', filters: { search: 'zuse' }, columns: ['id', 'firstName'] };
  const done = await exported(api, body);
  expect([done.rowCount, done.createdBy]).toEqual([2, tenant.userId]);
  expect(await linesOf(done)).toEqual([`${first.id},'=1+1`, `${third.id},Ada`]);
  const entry = await until('the download is in the audit log', async () => {
    const { data } = await tenant.owner.listAuditLogs({ query: { action: 'export.download', targetId: done.id } });
    return data[0];
  });
  expect(entry.actor.id).toBe(tenant.userId);
});

it('a user who may read own leads only exports these, and no audit log', async () => {
  const { id, api } = await aUser(['analytics:read', 'leads:read:own']);
  await tenant.api.createLead({ body: aLead('others') });
  await tenant.api.createLead({ body: aLead('own', { assignedTo: id }) });
  const done = await exported(api, { source: 'leads', format: 'csv', columns: ['email'] });
  expect(await linesOf(done)).toEqual(['own@example.com']);
  await expect(api.createExport({ body: { source: 'audit', format: 'csv' } })).rejects.toMatchObject({ status: 403 });
  const manager = await exported(tenant.owner, {
    source: 'audit',
    format: 'ndjson',
    filters: { action: 'lead.create' },
  });
  expect(manager.rowCount).toBeGreaterThanOrEqual(2);
});

const byId = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  `${one['id']}`.localeCompare(`${other['id']}`);

describe('a file of another service', () => {
  const hidden = ['tenantId', 'allowedTransitions', 'version'];

  /** A tenant with a record of every list. */
  async function aFilledTenant() {
    const filled = await aTenant(fleet, { plan: 'enterprise' });
    const { api, owner } = filled;
    const { data: partner } = await api.createPartner({
      body: { email: 'joan@example.com', firstName: '=1+1', lastName: 'Clarke' },
    });
    await api.approvePartner({ params: { id: partner.id }, body: { tier: 'gold' } });
    const contact = { email: 'ada@engines.example', firstName: 'Ada', lastName: 'Lovelace' };
    const deal = { partnerId: partner.id, company: 'Engines Ltd', contact, value: 100, currency: 'EUR' };
    await api.createDealRegistration({ body: deal });
    const { data: lead } = await api.createLead({ body: aLead('referred') });
    await api.createReferral({ body: { partnerId: partner.id, leadId: lead.id } });
    const { data: opportunity } = await api.convertLead({ body: { leadId: lead.id, value: 100, currency: 'EUR' } });
    await api.winOpportunity({ params: { id: opportunity.id }, body: {} });
    await until('the deal earns', async () => (await api.listCommissions()).data.length === 1);
    await api.createPayout({ body: { periodEnd: new Date().toISOString(), currency: 'EUR' } });

    const { data: course } = await api.createCourse({ body: { title: 'Selling', certificate: { title: 'Seller' } } });
    const params = { id: course.id };
    const { data: lesson } = await api.createLesson({ params, body: { title: 'Your plan', type: 'assignment' } });
    await api.publishCourse({ params });
    const { data: enrollment } = await api.createEnrollment({ body: { courseId: course.id, learnerId: lead.id } });
    const { data: attempt } = await owner.startAttempt({ params: { id: enrollment.id, lessonId: lesson.id } });
    await owner.submitAttempt({ params: { id: attempt.id }, body: { text: 'Two machines' } });
    await owner.gradeAttempt({ params: { id: attempt.id }, body: { score: 95 } });
    await until('the certificate exists', async () => (await api.listCertificates()).data.length === 1);

    const { data: campaign } = await api.createCampaign({ body: { name: 'Story' } });
    const nodes = [
      { nodeId: 'start', type: 'trigger' as const, data: {} },
      { nodeId: 'mail', type: 'email' as const, data: { subjectLine: 'Hello', html: '<p>Hello</p>' } },
    ];
    const sequence = { name: 'One mail', nodes, edges: [{ edgeId: 'e1', source: 'start', target: 'mail' }] };
    const { data: workflow } = await api.createSequence({ params: { id: campaign.id }, body: sequence });
    await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    const conditions = [{ field: 'email', operator: 'contains' as const, value: 'referred' }];
    await api.setAudience({ params: { id: campaign.id }, body: { include: [{ conditions }] } });
    await api.activateCampaign({ params: { id: campaign.id } });
    await until('the mail is sent', async () => (await api.listMessages()).data[0]?.status === 'sent');
    await api.createSegment({ body: { name: 'Engineers', type: 'filter', conditions } });
    await api.createTemplate({ body: { name: 'Welcome', channel: 'email', subject: 'Hello', html: '<p>Hello</p>' } });
    const fields = [{ key: 'email', type: 'email' as const, mapsTo: 'email', required: true }];
    const { data: form } = await api.createForm({ body: { name: 'Contact', fields } });
    await api.publishForm({ params: { id: form.id } });
    await api.submitForm({ params: { id: form.id }, body: { fields: { email: 'grace@example.com' } } });
    await api.createLandingPage({ body: { name: 'Engines', slug: 'engines', content: '<h1>Engines</h1>' } });
    await api.createSuppression({ body: { channel: 'email', value: 'never@example.com' } });
    await owner.createTeam({ body: { name: 'Sales' } });
    const { data: roles } = await owner.listRoles();
    const second = { email: `second${Date.now()}@example.com`, password: 'a long phrase is best' };
    await owner.createUser({
      body: { ...second, firstName: 'Grace', lastName: 'Hopper', roleId: roles[0]?.id as string },
    });
    await upload(fleet, filled, { content: 'A plan', filename: 'plan.txt' });
    const { data: webhook } = await api.createWebhook({
      body: { url: 'https://example.com/hooks', events: ['lead.created'], active: false },
    });
    await api.createLead({ body: aLead('announced') });
    await until('its delivery is skipped', async () => {
      return (await api.listDeliveries({ params: { id: webhook.id } })).data.length === 1;
    });
    const parents = { formId: form.id, campaignId: campaign.id, workflowId: workflow.id, webhookId: webhook.id };
    return { ...filled, ...parents };
  }

  /** The records of each source as its list shows them. */
  const listsOf = (api: Api) =>
    ({
      partners: () => api.listPartners(),
      referrals: () => api.listReferrals(),
      deal_registrations: () => api.listDealRegistrations(),
      commissions: () => api.listCommissions(),
      payouts: () => api.listPayouts(),
      activities: () => api.listActivities({ query: { sort: 'createdAt', limit: 100 } }),
      users: () => api.listUsers(),
      teams: () => api.listTeams(),
      campaigns: () => api.listCampaigns(),
      messages: () => api.listMessages(),
      segments: () => api.listSegments(),
      templates: () => api.listTemplates(),
      forms: () => api.listForms(),
      workflows: () => api.listWorkflows(),
      suppressions: () => api.listSuppressions(),
      landing_pages: () => api.listLandingPages(),
      courses: () => api.listCourses(),
      enrollments: () => api.listEnrollments(),
      certificates: () => api.listCertificates(),
      files: () => api.listFiles(),
    }) satisfies Partial<Record<Body['source'], () => Promise<{ data: object[] }>>>;

  const without = (record: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.includes(field)));

  /** Compares a file with the list of its source. */
  async function compare(api: Api, body: Pick<Body, 'source' | 'filters'>, list: () => Promise<{ data: object[] }>) {
    const { source } = body;
    const done = await exported(api, { ...body, format: 'json' });
    const rows = (await (await fetch(done.downloadUrl as string)).json()) as Record<string, unknown>[];
    const { data } = await list();
    const shown = (data as Record<string, unknown>[]).map(without);
    expect([source, rows.toSorted(byId)]).toEqual([source, shown.toSorted(byId)]);
    expect([source, rows.length > 0]).toEqual([source, true]);
  }

  it('has the records of the list, with the same values, and none of another tenant or environment', async () => {
    const { api, sandbox, formId, campaignId, workflowId, webhookId } = await aFilledTenant();
    const sandboxApi = fleet.api({ apiKey: sandbox });
    const other = await aTenant(fleet, { plan: 'enterprise' });
    for (const [name, list] of Object.entries(listsOf(api))) {
      const source = name as Body['source'];
      await compare(api, { source }, list);
      // Both environments have the same users and teams, and a tenant has a user from the start.
      const strangers = ['users', 'teams'].includes(source) ? [other.api] : [other.api, sandboxApi];
      for (const stranger of strangers) {
        const lines = await linesOf(await exported(stranger, { source, format: 'csv', columns: ['id'] }));
        expect([source, lines]).toEqual([source, source === 'users' ? [other.userId] : []]);
      }
    }
    const columns = ['firstName', 'lastName'];
    expect(await linesOf(await exported(api, { source: 'partners', format: 'csv', columns }))).toEqual([
      "'=1+1,Clarke",
    ]);
    const withParent = [
      ['form_submissions', { formId }, () => api.listFormSubmissions({ params: { id: formId } })],
      ['recipients', { campaignId }, () => api.listRecipients({ params: { id: campaignId } })],
      ['workflow_executions', { workflowId }, () => api.listWorkflowExecutions({ params: { id: workflowId } })],
      ['webhook_deliveries', { webhookId }, () => api.listDeliveries({ params: { id: webhookId } })],
    ] as const;
    for (const [source, filters, list] of withParent) {
      await compare(api, { source, filters }, list);
      for (const stranger of [other.api, sandboxApi])
        await expect(stranger.createExport({ body: { source, format: 'csv', filters } })).rejects.toMatchObject({
          status: 422,
        });
    }
  }, 180_000);

  it('of the audit log has its entries, in the sandbox only those of the sandbox', async () => {
    const { api, owner, sandbox } = await aTenant(fleet);
    const sandboxApi = fleet.api({ apiKey: sandbox });
    await api.createLead({ body: aLead('live') });
    await sandboxApi.createLead({ body: aLead('sandbox') });
    const filters = { action: 'lead.create' };
    const entriesOf = async (query: object) =>
      (await owner.listAuditLogs({ query: { ...filters, ...query } })).data.map(({ id }) => id).sort();
    await until('both are in the log', async () => (await entriesOf({})).length === 2);
    const idsOf = async (of: Api) =>
      (await linesOf(await exported(of, { source: 'audit', format: 'csv', filters, columns: ['id'] }))).sort();
    expect(await idsOf(owner)).toEqual(await entriesOf({}));
    const ofSandbox = await entriesOf({ environment: 'sandbox' });
    expect([ofSandbox.length, await idsOf(sandboxApi)]).toEqual([1, ofSandbox]);
    const { owner: stranger } = await aTenant(fleet);
    expect(await idsOf(stranger)).toEqual([]);
  }, 60_000);
});

it('an export continues after a SIGKILL without missing or double rows; a cancelled one leaves none', async () => {
  const { api } = tenant;
  await api.createLead({ body: aLead('before') });
  const [row] = await databases.crm.sql<{ tenant_id: string }>(`SELECT tenant_id FROM lead LIMIT 1`);
  await databases.crm.sql(`SELECT set_config('app.tenant_id', '${row?.tenant_id}', false),
    set_config('app.environment', 'live', false)`);
  await databases.crm.sql(`INSERT INTO lead (email, first_name, last_name, source)
    SELECT 'many' || n || '@example.com', 'Many', 'Leads', 'import' FROM generate_series(1, ${many}) AS n`);
  const body: Body = { source: 'leads', format: 'csv', filters: { source: 'import' }, columns: ['email'] };
  const { data: started } = await api.createExport({ body });
  await until('a page is stored', async () => {
    return (await api.getExport({ params: { id: started.id } })).data.rowCount > 0;
  });
  fleet.kill('analytics');
  await until('analytics is back', () => fleet.ready('analytics'));
  const done = await reaches(api, started.id, 'completed');
  const lines = await linesOf(done);
  expect([done.rowCount, lines.length, new Set(lines).size]).toEqual([many, many, many]);
  expect(lines.at(-1)).toBe(`many${many}@example.com`);

  const { data: second } = await api.createExport({ body });
  await reaches(api, second.id, 'running');
  expect((await api.cancelExport({ params: { id: second.id } })).data.status).toBe('cancelled');
  await until('its rows are removed', async () => {
    const left = await databases.analytics.sql(
      `SELECT FROM export_chunk JOIN export ON export.id = job_id WHERE status = 'cancelled' LIMIT 1`,
    );
    return left.length === 0;
  });
}, 300_000);

it('a link ends with the file', async () => {
  const { api } = tenant;
  const { id } = await exported(api, { source: 'leads', format: 'json', filters: { search: 'zuse' } });
  await databases.analytics.sql(`UPDATE export SET expires_at = now() + interval '3 s' WHERE status = 'completed'`);
  const { data } = await api.getExport({ params: { id } });
  await until('the link has expired', async () => {
    const response = await fetch(data.downloadUrl as string, { headers: { accept: 'application/json' } });
    return response.status === 404 && (await response.text()).includes('expired');
  });
  expect((await api.getExport({ params: { id } })).data.downloadUrl).toBeNull();
});
