import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';

// The life of one lead, from a file to its erasure, through all services that take part.

const services = [
  ...['agents', 'analytics', 'campaign', 'crm', 'files', 'identity', 'integrations', 'partner', 'search'],
  'training',
];
const ada = { email: 'ada@analytical.example', firstName: 'Ada', lastName: 'Lovelace' };
const phone = '+442079460958';
const waitMs = 60_000;

let fleet: TestFleet;
let crm: Tables;
let tenant: TestTenant;
let api: TestTenant['api'];
let colleagueId: string;
let partner: { id: string; code: string };
const lead = { id: '', doubleId: '' };
const deal = { id: '', pipelineId: '' };
beforeAll(async () => {
  fleet = await startFleet({ services });
  crm = await openTables(fleet.environment['crm']?.['DATABASE_URL'] as string);
  tenant = await aTenant(fleet);
  api = tenant.api;
  const user = { email: `grace-${tenant.id}@example.com`, firstName: 'Grace', lastName: 'Hopper' };
  colleagueId = (await tenant.owner.createUser({ body: { ...user, password: 'a long phrase is best' } })).data.id;
  const { data } = await api.createPartner({
    body: { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' },
  });
  await api.approvePartner({ params: { id: data.id }, body: { tier: 'gold' } });
  const approved = (await api.getPartner({ params: { id: data.id } })).data;
  partner = { id: data.id, code: approved.referralCodes[0]?.code as string };
}, 240_000);
afterAll(async () => {
  await crm?.close();
  await fleet?.stop();
}, 60_000);

const getLead = async (id = lead.id) => (await api.getLead({ params: { id } })).data;
const getDeal = async () => (await api.getOpportunity({ params: { id: deal.id } })).data;
const commissions = async () => (await api.listPartnerCommissions({ params: { id: partner.id } })).data;

/** The forecast of all periods together. */
async function forecast() {
  const { buckets } = (await api.getForecast({ query: { pipelineId: deal.pipelineId, currency: 'EUR' } })).data;
  const sum = (field: 'count' | 'openValue' | 'weightedValue' | 'closedWon') =>
    buckets.reduce((total, bucket) => total + bucket[field], 0);
  return [sum('count'), sum('openValue'), sum('weightedValue'), sum('closedWon')];
}

/** Uploads a CSV file and returns its id. */
async function upload(lines: string[]): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([lines.join('\r\n')], { type: 'text/csv' }), 'Messe.csv');
  const headers = { 'x-api-key': tenant.live };
  const response = await fetch(`${fleet.baseUrl}/v1/files/upload`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

/** The import, once it has one of these statuses. */
const reached = (id: string, ...statuses: string[]) =>
  until(
    `the import is ${statuses}`,
    async () => {
      const { data } = await api.getLeadImport({ params: { id } });
      return statuses.includes(data.status) && data;
    },
    waitMs,
  );

// In order, because later steps use records of earlier ones.
describe('a lead', () => {
  it('is imported from a file whose columns are recognized, and rows that do not fit are left out', async () => {
    await api.createAssignmentRule({
      body: {
        name: 'Fair',
        method: 'round_robin',
        userIds: [colleagueId],
        match: [{ field: 'source', operator: 'equals', value: 'import' }],
      },
    });
    await api.createScoringRule({ body: { name: 'Replied', eventType: 'email_reply', points: 15 } });
    const fileId = await upload([
      'E-Mail;Vorname;Nachname;Telefon;Empfehlungscode;Halle',
      `${ada.email};Ada;Lovelace;${phone};${partner.code};7`,
      `a.lovelace@home.example;Ada;Lovelace;${phone};;7`,
      'nowhere;Charles;Babbage;;;7',
    ]);
    const created = await api.createLeadImport({ body: { fileId } });
    expect([created.status, created.data.status]).toEqual([202, 'mapped']);
    const { id } = created.data;
    const checked = await reached(id, 'validated', 'failed');
    expect(checked).toMatchObject({
      filename: 'Messe.csv',
      format: { type: 'csv', delimiter: ';' },
      mapping: {
        'E-Mail': 'email',
        Vorname: 'firstName',
        Nachname: 'lastName',
        Telefon: 'phone',
        Empfehlungscode: 'referralCode',
        Halle: null,
      },
      counts: { rows: 3, valid: 2, invalid: 1, created: 0 },
    });
    expect((await api.listLeads()).data).toEqual([]);
    await api.startLeadImport({ params: { id } });
    const done = await reached(id, 'completed', 'failed');
    expect(done).toMatchObject({ status: 'completed', error: null, counts: { processed: 3, created: 2, failed: 1 } });
    const errors = await (
      await fetch(`${fleet.baseUrl}/v1/leads/imports/${id}/errors.csv`, { headers: { 'x-api-key': tenant.live } })
    ).text();
    expect(errors.trim().split('\r\n').slice(1)).toEqual([expect.stringContaining('nowhere')]);
    const { data } = await api.listLeads({ query: { sort: 'email' } });
    expect(data).toMatchObject([
      { email: 'a.lovelace@home.example', phone, source: 'import' },
      { ...ada, phone, source: 'import', referralCode: partner.code, createdBy: tenant.userId },
    ]);
    Object.assign(lead, { doubleId: data[0]?.id, id: data[1]?.id });
  });

  it('gets its assignee by a rule, and its partner by the referral code', async () => {
    const isAssigned = async () => {
      const { assignedTo, partnerId } = await getLead();
      const double = await getLead(lead.doubleId);
      return assignedTo === colleagueId && partnerId === partner.id && double.assignedTo === colleagueId;
    };
    await until('both leads are assigned and the referral is known', isAssigned, waitMs);
    expect((await fleet.api({ apiKey: tenant.sandbox }).listLeads()).data).toEqual([]);
  });

  it('has a higher score after it engages', async () => {
    expect((await getLead()).score).toBe(0);
    for (const leadId of [lead.id, lead.doubleId])
      await api.recordEvent({ body: { eventType: 'email_reply', leadId, insertId: `reply of ${leadId}` } });
    await until('the replies count', async () => (await getLead()).score === 15, waitMs);
    await until('the other one too', async () => (await getLead(lead.doubleId)).score === 15, waitMs);
    const { data } = await api.listLeadScoreHistory({ params: { id: lead.id } });
    expect(data[0]).toMatchObject({ score: 15, delta: 15, cause: 'engagement', byUserId: null });
  });

  it('takes over its duplicate, with the engagement of both', async () => {
    const [pair] = await until(
      'the duplicate is found',
      async () => {
        const { data } = await api.getLeadDuplicates({ params: { id: lead.id } });
        return data.length > 0 && data;
      },
      waitMs,
    );
    expect(pair?.matchedOn).toEqual(expect.arrayContaining(['phone', 'name']));
    const task = await api.createTask({ body: { title: 'Call back', leadId: lead.doubleId } });
    const { data } = await api.mergeLeads({ params: { id: lead.id }, body: { mergeIds: [lead.doubleId] } });
    expect(data).toMatchObject({ survivor: { id: lead.id, email: ada.email }, moved: { tasks: 1 } });
    expect((await api.getTask({ params: { id: task.data.id } })).data.leadId).toBe(lead.id);
    await expect(getLead(lead.doubleId)).rejects.toMatchObject({ status: 404 });
    expect((await api.listLeads()).data.map(({ id }) => id)).toEqual([lead.id]);
    await until('both replies count', async () => (await getLead()).score === 30, waitMs);
  });

  it('becomes a deal in the chosen pipeline, whose rules its moves follow', async () => {
    deal.pipelineId = (await api.createPipeline({ body: { name: 'Enterprise' } })).data.id;
    await api.setPipelineRules({ params: { id: deal.pipelineId }, body: { noSkip: true } });
    expect(await forecast()).toEqual([0, 0, 0, 0]);
    const body = { leadId: lead.id, value: 5000, currency: 'EUR', pipelineId: deal.pipelineId };
    const { data } = await api.convertLead({ body: { ...body, expectedCloseAt: new Date().toISOString() } });
    deal.id = data.id;
    expect(data).toMatchObject({
      ...body,
      name: 'Ada Lovelace',
      status: 'open',
      stage: 'prospecting',
      probability: 10,
    });
    expect(await getLead()).toMatchObject({ status: 'qualified', convertedOpportunityId: deal.id });
    expect(await forecast()).toEqual([1, 5000, 500, 0]);
    const skipped = api.moveOpportunity({ params: { id: deal.id }, body: { stage: 'proposal' } });
    await expect(skipped).rejects.toMatchObject({ status: 409, code: 'move_refused' });
    await api.moveOpportunity({ params: { id: deal.id }, body: { stage: 'qualification', reason: 'Has a budget' } });
    expect(await getDeal()).toMatchObject({ stage: 'qualification', probability: 25 });
    expect(await forecast()).toEqual([1, 5000, 1250, 0]);
  });

  it('is won for a reason, which earns the partner a commission and changes the forecast', async () => {
    const won = await api.winOpportunity({ params: { id: deal.id }, body: { reasonCode: 'relationship' } });
    expect(won.data).toMatchObject({ status: 'won', probability: 100, allowedTransitions: ['open'] });
    const { data: outcome } = await api.getOpportunityOutcome({ params: { id: deal.id } });
    expect(outcome).toMatchObject({ result: 'won', reasonCode: 'relationship', reason: 'Relationship' });
    expect(await forecast()).toEqual([1, 0, 0, 5000]);
    await until('the commission exists', async () => (await commissions()).length === 1, waitMs);
    const amounts = { amount: 500, basisAmount: 5000, rate: 10, currency: 'EUR' };
    expect(await commissions()).toMatchObject([{ ...amounts, opportunityId: deal.id, status: 'pending' }]);
  });

  it('is reopened, which takes back the commission and the forecast', async () => {
    const { data } = await api.reopenOpportunity({ params: { id: deal.id }, body: { reason: 'Not signed' } });
    expect(data).toMatchObject({ status: 'open', stage: 'qualification', probability: 25, outcome: null });
    expect(await forecast()).toEqual([1, 5000, 1250, 0]);
    await until('the commission is cancelled', async () => (await commissions())[0]?.status === 'cancelled', waitMs);
    const { data: statements } = await api.listCommissionStatements({ params: { id: partner.id } });
    expect(statements.reduce((sum, { closingBalance }) => sum + closingBalance, 0)).toBe(0);
    const { data: history } = await api.listStageHistory({ params: { id: deal.id }, query: { sort: 'enteredAt' } });
    expect(history.map(({ stage }) => stage)).toEqual(['prospecting', 'qualification', 'won', 'qualification']);
  });

  it('is exported and erased in every service, and the deal stays', async () => {
    const exported = await tenant.owner.exportLeadData({ params: { id: lead.id } });
    expect(exported.data.services.map(({ service }) => service).sort()).toEqual(services);
    const { status, data } = await tenant.owner.eraseLead({ params: { id: lead.id } });
    expect(status).toBe(202);
    await expect(getLead()).rejects.toMatchObject({ status: 404 });
    // The database is asked, because the rate of calls is limited.
    const isDone = async () => (await crm.sql('SELECT 1 FROM erasure WHERE completed_at IS NOT NULL')).length === 1;
    await until('every service has erased the lead', isDone, waitMs);
    expect((await tenant.owner.getJob({ params: { id: data.jobId } })).data.status).toBe('completed');
    expect((await api.searchLeads({ query: { q: 'Lovelace' } })).data).toEqual([]);
    expect(await getDeal()).toMatchObject({ name: 'Erased', value: 5000 });
    const query = { targetType: 'lead', targetId: lead.id, action: 'lead.complete_erasure' } as const;
    await until('there is a certificate', async () => (await tenant.owner.listAuditLogs({ query })).data.length === 1);
  }, 120_000);
});
