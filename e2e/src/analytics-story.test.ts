import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { openTables, type Tables, until } from '@tandem/testing';
import { runAdmin } from './admin-command.ts';
import { count, isLost, isWon, type Person, people, percent, value } from './analytics-ledger.ts';
import { firstMail, linkIn, replyTo, visit } from './recipient.ts';

// 200 leads go through a campaign to won deals. Then every number of analytics is compared with what was done, and with the
// list that explains it.

const services = ['analytics', 'campaign', 'crm', 'identity', 'partner'];
const inboundSecret = 'the secret of the mail server, 32+';
const waitMs = 120_000;
// Requests at a time: as many as one client may send without waiting for each.
const parallel = 8;

let fleet: TestFleet;
let tenant: TestTenant;
let api: TestTenant['api'];
let crm: Tables;
let leadIds: string[];
let partnerId: string;
let campaignId: string;
beforeAll(async () => {
  fleet = await startFleet({ services, env: { INBOUND_MAIL_SECRET: inboundSecret } });
  tenant = await aTenant(fleet);
  api = tenant.api;
  crm = await openTables(fleet.environment['crm']?.['DATABASE_URL'] as string);
}, 240_000);
afterAll(async () => {
  await crm?.close();
  await fleet?.stop();
}, 60_000);

const idOf = ({ number }: Person) => leadIds[number] as string;
const addressOf = ({ number }: Person) => `person-${number}-${tenant.id}@example.com`.toLowerCase();

/** Does something for each person, a few at a time. */
async function each(among: readonly Person[], act: (person: Person) => Promise<unknown>): Promise<void> {
  const rest = [...among];
  const work = async () => {
    for (let person = rest.shift(); person; person = rest.shift()) await act(person);
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

const dashboard = async () => (await api.getDashboard({ query: { compare: 'previous' } })).data;

/** The dashboard, once a number is complete: analytics counts within seconds. */
const counted = (what: string, isComplete: (numbers: Awaited<ReturnType<typeof dashboard>>) => boolean) =>
  until(
    what,
    async () => {
      const numbers = await dashboard();
      return isComplete(numbers) && numbers;
    },
    waitMs,
  );

/** The total of a list with query parameters as analytics returns them. */
const commissionsOf = async (opportunityId: string) => (await api.listCommissions({ query: { opportunityId } })).data;

async function totalOf({ path, query }: { path: string; query: object }): Promise<number> {
  const parameters = new URLSearchParams({ ...(query as Record<string, string>), limit: '1' });
  const response = await fetch(`${fleet.baseUrl}${path}?${parameters}`, { headers: { 'x-api-key': tenant.live } });
  const body = (await response.json()) as { message: string; pagination?: { total: number } };
  if (response.status !== 200) throw new Error(`${path}?${parameters}: ${response.status} ${body.message}`);
  return body.pagination?.total as number;
}

/** The numbers whose list has another total, as `[path of the number, number, total]`. */
async function unlike(reply: { lists: { number: string; path: string; query: object }[] }) {
  const found: unknown[] = [];
  for (const list of reply.lists) {
    const number = list.number
      .split('.')
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], reply);
    const total = await totalOf(list);
    if (total !== number) found.push([list.number, number, total]);
  }
  return found;
}

describe('200 leads', () => {
  it('are created, some with the code of a partner', async () => {
    const joan = { email: 'joan@example.com', firstName: 'Joan', lastName: 'Clarke' };
    partnerId = (await api.createPartner({ body: joan })).data.id;
    await api.approvePartner({ params: { id: partnerId }, body: { tier: 'gold' } });
    const [code] = (await api.getPartner({ params: { id: partnerId } })).data.referralCodes;
    const items = people.map((person) => ({
      ...{ email: addressOf(person), firstName: 'Ada', lastName: `Lovelace ${person.number}`, tags: ['story'] },
      ...(person.source && { source: person.source }),
      ...(person.hasPartner && { referralCode: code?.code as string }),
    }));
    const { data } = await api.bulkCreateLeads({ body: { items } });
    expect([data.succeeded, data.failed]).toEqual([200, 0]);
    leadIds = data.results.map(({ id }) => id as string);
  }, 60_000);

  it('get the mail of a campaign, which some open, click and reply to', async () => {
    campaignId = (await api.createCampaign({ body: { name: 'Story' } })).data.id;
    const html = '<p>Hello {{ lead.firstName }}, <a href="https://example.com/menu">our menu</a></p>';
    const nodes = [
      { nodeId: 'start', type: 'trigger' as const, data: {} },
      { nodeId: 'mail', type: 'email' as const, data: { subjectLine: 'Hello', html } },
    ];
    const sequence = { name: 'One mail', nodes, edges: [{ edgeId: 'e1', source: 'start', target: 'mail' }] };
    const { data: workflow } = await api.createSequence({ params: { id: campaignId }, body: sequence });
    await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    const conditions = [{ field: 'tags', operator: 'contains' as const, value: 'story' }];
    await api.setAudience({ params: { id: campaignId }, body: { include: [{ conditions }] } });
    await until('the audience is complete', async () => {
      return (await api.previewAudience({ params: { id: campaignId } })).data.reachable === 200;
    });
    await api.activateCampaign({ params: { id: campaignId } });
    await until('all mails are sent', () => people.every((p) => fleet.mailbox.to(addressOf(p)).length === 1), waitMs);
    await counted('all mails are counted', ({ engagement }) => engagement.sent === 200);
    // Programs are faster than people: an open within two seconds counts as automated.
    const sentAt = Date.now();
    await until('a person could have read it', () => Date.now() - sentAt > 2_500);

    const mailOf = (person: Person) => firstMail(fleet, addressOf(person));
    await each(people, async (person) => {
      if (person.opens) expect((await visit(fleet, linkIn(mailOf(person), '/t/o/'))).status).toBe(200);
      if (person.clicks) expect((await visit(fleet, linkIn(mailOf(person), '/t/c/'))).status).toBe(302);
      if (!person.replies) return;
      const reply = { from: addressOf(person), mail: mailOf(person), secret: inboundSecret };
      expect((await replyTo(fleet, reply)).status).toBe(200);
    });
  }, 240_000);

  it('are contacted and converted, and their deals won and lost', async () => {
    await each(people, async (person) => {
      const params = { id: idOf(person) };
      if (person.status !== 'new') await api.changeLeadStatus({ params, body: { status: person.status } });
      if (!person.isConverted) return;
      const body = { leadId: idOf(person), value: person.value, currency: 'EUR' };
      const { data: deal } = await api.convertLead({ body });
      const of = { params: { id: deal.id } };
      if (person.deal === 'won' || person.deal === 'reopened') await api.winOpportunity({ ...of, body: {} });
      // A win whose event comes after that of the reopening earns no commission, so wait for it.
      if (person.deal === 'reopened' && person.hasPartner)
        await until('the commission exists', async () => (await commissionsOf(deal.id)).length === 1);
      if (person.deal === 'reopened') await api.reopenOpportunity({ ...of, body: { reason: 'Not signed' } });
      if (isLost(person)) await api.loseOpportunity({ ...of, body: { reasonCode: 'price' } });
      if (person.number >= 100) return;
      const { data: task } = await api.createTask({ body: { title: 'Send the contract', leadId: idOf(person) } });
      if (isWon(person)) await api.completeTask({ params: { id: task.id }, body: {} });
    });
  }, 240_000);
});

const contacted = count(({ status, isConverted }) => status === 'contacted' || isConverted);
const converted = count(({ isConverted }) => isConverted);
const withCommission = (person: Person) => person.hasPartner && isWon(person);
const withTask = ({ isConverted, number }: Person) => isConverted && number < 100;
const completed = count((person) => withTask(person) && isWon(person));

describe('the numbers of analytics', () => {
  it('of the dashboard are what was done, and the totals of their lists', async () => {
    const numbers = await counted(
      'the last step is counted',
      ({ opportunities, engagement, partners, tasks }) =>
        opportunities.won === count(isWon) &&
        opportunities.lost === count(isLost) &&
        engagement.replies === count(({ replies }) => replies) &&
        engagement.clicks === count(({ clicks }) => clicks) &&
        engagement.humanOpens === count(({ opens }) => opens) &&
        partners.commissions.count === count(withCommission) &&
        tasks.completed === completed,
    );
    const bySource = (source: Person['source']) => count((person) => person.source === source);
    expect(numbers.leads).toEqual({
      ...{ new: 200, total: 200, converted, conversions: converted, conversionRate: percent(converted, 200) },
      byStatus: {
        contacted: contacted - converted,
        new: count(({ status }) => status === 'new'),
        qualified: converted,
        unqualified: count(({ status }) => status === 'unqualified'),
      },
      bySource: { manual: bySource('manual'), none: bySource(null), web: bySource('web') },
    });
    const money = (amount: number) => [{ currency: 'EUR', amount }];
    expect(numbers.opportunities).toMatchObject({
      ...{ new: converted, won: count(isWon), lost: count(isLost), open: count(({ deal }) => deal === 'open') },
      winRate: percent(count(isWon), count(isWon) + count(isLost)),
      wonValue: money(value(isWon)),
      pipelineValue: money(value(({ deal }) => deal === 'open')),
    });
    const commission = value(withCommission) / 10;
    expect(numbers.partners).toMatchObject({
      ...{ active: 1, pending: 0, commissions: { count: count(withCommission), amounts: money(commission) } },
    });
    const [opens, clicks] = [count((one) => one.opens), count((one) => one.clicks)];
    const uniqueOpens = count((one) => one.opens || one.clicks);
    expect(numbers.engagement).toMatchObject({
      ...{ sent: 200, opens, humanOpens: opens, uniqueOpens, clicks, uniqueClicks: clicks, bounces: 0 },
      ...{ openRate: percent(uniqueOpens, 200), clickRate: percent(clicks, 200), bounceRate: 0 },
      replies: count(({ replies }) => replies),
    });
    const { data: ofCampaign } = await api.getCampaignStats({ params: { id: campaignId } });
    expect([ofCampaign.messages.opened, ofCampaign.messages.clicked]).toEqual([uniqueOpens, clicks]);
    expect(numbers.tasks).toMatchObject({ completed, open: count(withTask) - completed, overdue: 0 });
    expect(numbers.series.reduce((sum, { newLeads }) => sum + newLeads, 0)).toBe(200);
    expect(numbers.previous?.leads.new).toBe(0);
    expect(await unlike(numbers)).toEqual([]);
  }, 180_000);

  it('of funnels are what was done', async () => {
    const { data: leads } = await api.getFunnel();
    expect(leads.steps.map((step) => step.count)).toEqual([200, contacted, converted, converted]);
    expect(leads.steps.map((step) => step.fromStart)).toEqual(leads.steps.map((step) => percent(step.count, 200)));
    expect(leads.pending).toBe(200 - converted - count(({ status }) => status === 'unqualified'));
    expect(await unlike(leads)).toEqual([]);
    const { data: deals } = await api.getFunnel({ query: { type: 'opportunity' } });
    expect([deals.steps[0]?.count, deals.steps.at(-1)?.count]).toEqual([converted, count(isWon)]);
    const steps = ['email_sent', 'email_open', 'link_click'].map((event) => ({ event: event as 'email_open' }));
    const { data: mails } = await api.queryFunnel({
      body: { steps: [...steps, { converted: true }], breakdown: 'source' },
    });
    const stepsOf = (among: readonly Person[]) => [
      among.length,
      count(({ opens }) => opens, among),
      count(({ opens, clicks }) => opens && clicks, among),
      count(({ opens, clicks, isConverted }) => opens && clicks && isConverted, among),
    ];
    expect(mails.steps.map((step) => step.count)).toEqual(stepsOf(people));
    for (const { value: source, steps: ofSource } of mails.breakdown)
      expect(ofSource.map((step) => step.count)).toEqual(stepsOf(people.filter((one) => one.source === source)));
    expect(mails.breakdown).toHaveLength(3);
    // Everybody got the mail today, so who has not reached the last step still can.
    expect(mails.pending).toBe(200 - (mails.steps.at(-1)?.count as number));
    const before = (step: number) => mails.steps[step - 1]?.count as number;
    expect(mails.steps.slice(1).map(({ fromPrevious }) => fromPrevious)).toEqual(
      mails.steps.slice(1).map((step, index) => percent(step.count, before(index + 1))),
    );
    expect(await unlike(mails)).toEqual([]);
  }, 60_000);

  it('of reports and exports are what was done', async () => {
    const { data: report } = await api.createReport({ body: { name: 'All', type: 'dashboard', query: {} } });
    const { data: started } = await tenant.owner.runReport({ params: { id: report.id }, body: {} });
    const run = await until('the run ends', async () => {
      const { data } = await api.getReportRun({ params: { id: report.id, runId: started.id } });
      return data.status === 'completed' && data;
    });
    const numbers = await dashboard();
    expect(run.result).toMatchObject({ leads: numbers.leads, opportunities: numbers.opportunities });
    // While the machine is busy, the document is refused with 503 and Retry-After.
    const pdf = await until('the document is made', async () => {
      const response = await fetch(run.files?.pdf as string);
      const body = await response.text();
      return response.status !== 503 && body;
    });
    expect(pdf.slice(0, 5)).toBe('%PDF-');
    const won = await exported({
      source: 'opportunities',
      format: 'csv',
      filters: { status: 'won' },
      columns: ['value'],
    });
    expect(won.map(Number).sort((a, b) => a - b)).toEqual(people.filter(isWon).map((person) => person.value));
    const sizes = {
      ...{ leads: 200, messages: 200, opportunities: converted, tasks: count(withTask) },
      ...{
        commissions: count((one) => withCommission(one) || (one.hasPartner && one.deal === 'reopened')),
        referrals: count(({ hasPartner }) => hasPartner),
      },
      ...{ partners: 1, campaigns: 1 },
    } as const;
    for (const [source, size] of Object.entries(sizes))
      expect([source, (await exported({ source: source as 'leads', format: 'csv', columns: ['id'] })).length]).toEqual([
        source,
        size,
      ]);
    const clicked = await exported({
      source: 'events',
      format: 'csv',
      filters: { type: 'link_click' },
      columns: ['leadId'],
    });
    expect(clicked.sort()).toEqual(
      people
        .filter((person) => person.clicks)
        .map(idOf)
        .sort(),
    );
  }, 120_000);
});

/** The rows of a CSV file without their names of columns. */
async function exported(body: Parameters<typeof api.createExport>[0]['body']): Promise<string[]> {
  const { data } = await api.createExport({ body });
  const done = await until('the export ends', async () => {
    const { data: now } = await api.getExport({ params: { id: data.id } });
    return now.status === 'completed' && now;
  });
  const text = await (await fetch(done.downloadUrl as string)).text();
  return text.split('\r\n').slice(1, -1);
}

describe('after analytics has lost what it counted', () => {
  it('the rebuild gives the same numbers, from the services that have the records', async () => {
    const read = async () => {
      const { leads, opportunities, partners, tasks, engagement, series } = await dashboard();
      const funnels = [await api.getFunnel(), await api.getFunnel({ query: { type: 'opportunity' } })];
      const changes = await api.queryFunnel({ body: { steps: [{ leadStatus: 'new' }, { leadStatus: 'qualified' }] } });
      return [
        leads,
        opportunities,
        partners,
        tasks,
        engagement,
        series,
        ...[...funnels, changes].map(({ data }) => data.steps),
      ];
    };
    const before = await read();
    const analytics = await openTables(fleet.environment['analytics']?.['DATABASE_URL'] as string);
    for (const table of ['lead_fact', 'opportunity_fact', 'partner_fact', 'commission_fact', 'task_fact', 'step'])
      await analytics.sql(`DELETE FROM ${table}`);
    for (const table of ['measure', 'measure_total']) await analytics.sql(`DELETE FROM ${table}`);
    await analytics.close();
    expect((await dashboard()).leads.total).toBe(0);
    expect(await runAdmin(fleet, ['rebuild', 'analytics', '--tenant', tenant.id])).toMatchObject({ code: 0 });
    expect(await read()).toEqual(before);
    expect(await unlike(await dashboard())).toEqual([]);
  }, 60_000);
});

describe('after the leads of some weeks ago are counted again from crm', () => {
  const old = people.filter(({ number }) => number < 60);
  // Noon of a Monday four weeks ago, so that the weeks of cohorts are known.
  const monday = new Date(Date.now() - 28 * 86_400_000);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  monday.setUTCHours(12, 0, 0, 0);

  it('the dashboard, cohorts and lists have the times of the records', async () => {
    const emails = old.map((person) => `'${addressOf(person)}'`).join(', ');
    await crm.sql(
      `UPDATE lead SET created_at = '${monday.toISOString()}', version = version + 1 WHERE email IN (${emails})`,
    );
    const rebuilt = await runAdmin(fleet, ['rebuild', 'analytics', '--tenant', tenant.id]);
    expect(rebuilt).toMatchObject({ code: 0 });
    const weekLater = new Date(monday.getTime() + 8 * 86_400_000).toISOString();
    const visitors = old.filter(({ number }) => number % 3 === 0);
    const events = visitors.map((person) => ({
      ...{ eventType: 'page_visit' as const, leadId: idOf(person), timestamp: weekLater },
      insertId: `visit ${person.number}`,
    }));
    expect((await api.recordEvents({ body: { events } })).data.rejected).toBe(0);
    const dateFrom = monday.toISOString();
    const { data: numbers } = await api.getDashboard({ query: { dateFrom } });
    expect([numbers.leads.new, numbers.leads.converted, numbers.engagement.pageVisits]).toEqual([
      ...[200, converted, visitors.length],
    ]);
    expect(await unlike(numbers)).toEqual([]);
    const cohort = { interval: 'week', metric: 'retained', periods: 3, dateFrom, dateTo: dateFrom } as const;
    const { data } = await api.getCohorts({ query: cohort });
    expect(data.rows).toEqual([{ cohort: dateFrom.slice(0, 10), size: old.length, values: [0, visitors.length, 0] }]);
    expect(await unlike(data)).toEqual([]);
  }, 180_000);
});
