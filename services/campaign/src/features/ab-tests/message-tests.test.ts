import type { campaign } from '@tandem/campaign-contract';
import { createIdCodec } from '@tandem/ids';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { assignedVariant } from './assigned-variant.ts';

let crm: CrmPeer;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), mailbox?.close()]);
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;
type Params = { id: string; testId: string };

const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);
const tenantOf = (api: Api) => api.caller.tenantId as number;
const person = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

const graph = (data: Fields, others: readonly string[] = []) => {
  const start = aNode('start', { type: 'trigger', data: { triggerType: 'manual' } });
  const nodes = [start, aNode('mail', { data }), ...others.map((nodeId) => aNode(nodeId, { type: 'exit', data: {} }))];
  const edges = nodes
    .slice(1)
    .map(({ nodeId }, index) => ({ edgeId: `e${index}`, source: nodes[index]?.nodeId as string, target: nodeId }));
  return { nodes, edges };
};

const subjects = [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50, override: { subjectLine: 'Subject b' } },
];

/** A campaign with a published workflow of one e-mail, and a running test of it. */
async function aRunningTest(
  api: Api,
  { data = { subjectLine: 'Subject a' }, ...fields }: Fields & { data?: Fields } = {},
) {
  const { data: campaign } = await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
  const body = { name: 'Welcome', campaignId: campaign.id, settings: { reentry: 'always' }, ...graph(data) };
  const { data: workflow } = await api.createWorkflow({ body });
  const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  const created = await api.createAbTest({
    params: { id: campaign.id },
    body: { name: 'Subject', target: 'subject', metric: 'open', variants: subjects, ...fields },
  });
  expect([created.status, created.body.errors]).toEqual([201, undefined]);
  const params: Params = { id: campaign.id, testId: created.data.id };
  const started = await api.startAbTest({ params });
  expect([started.status, started.body.errors]).toEqual([200, undefined]);
  return { params, workflowId: workflow.id as string, test: { ...started.data, id: Number(params.testId) } };
}

type Running = Awaited<ReturnType<typeof aRunningTest>>;

/** Leads whom a test assigns to variants, so many of each; `none` are outside of the sample. */
function leadsWith(api: Api, { test }: Running, wanted: Record<string, number>) {
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(wanted).map((key) => [key, []]));
  while (Object.entries(wanted).some(([key, count]) => (found[key]?.length ?? 0) < count)) {
    const leadId = crm.addLead(tenantOf(api));
    const key = assignedVariant(test, Number(leadId)) ?? 'none';
    if ((found[key]?.length ?? 0) < (wanted[key] ?? 0)) found[key]?.push(leadId);
  }
  return { ...found, all: Object.values(found).flat() } as Record<string, string[]> & { all: string[] };
}

async function enroll(api: Api, id: string, leadIds: string[]) {
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds } });
  expect(data.results.filter(({ result }: { result: string }) => result !== 'enrolled')).toEqual([]);
}

const subjectsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`).map(({ subject }) => subject);
const allGot = (leadIds: readonly string[], count = 1) =>
  until('the messages arrive', () => leadIds.every((leadId) => subjectsTo(leadId).length === count));

const messagesOf = async (api: Api, workflowId: string) =>
  (await api.listMessages({ query: { workflowId, limit: '100' } })).data as Record<string, string | null>[];
const sentAll = (api: Api, workflowId: string, count: number) =>
  until('the messages are recorded as sent', async () => {
    const messages = (await messagesOf(api, workflowId)).filter(({ status }) => status === 'sent');
    return messages.length === count && messages;
  });

const waiting = (api: Api, workflowId: string, count: number) =>
  until(`${count} executions wait`, async () => {
    const { data } = await api.listWorkflowExecutions({ params: { id: workflowId }, query: { status: 'waiting' } });
    return data.length === count && (data as { id: string; dueAt: string }[]);
  });

/** Opens the message of a lead, an hour after it was sent: a person takes longer than a scanner. */
async function open(api: Api, leadId: string, userAgent = person) {
  await service.sqlWithin(api.caller, `UPDATE message SET sent_at = sent_at - interval '1 hour' WHERE lead_id = $1`, [
    leadId,
  ]);
  const [mail] = mailbox.to(`lead${leadId}@example.com`);
  const [, token] = /\/v1\/public\/t\/o\/([^"]+)"/.exec(mail?.html ?? '') ?? [];
  const as = service.as({ type: 'anonymous', userAgent } as never);
  expect((await as.trackOpen({ params: { token: token as string } })).status).toBe(200);
}

/** Lets the next look at a running test happen now. */
const look = (api: Api) =>
  service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'examine-ab-test' AND state = 'waiting'`,
  );
const resultsOf = async (api: Api, params: Params) => (await api.getAbTestResults({ params })).data;
const completed = (api: Api, params: Params) =>
  until('the test is completed', async () => {
    const { data } = await api.getAbTest({ params });
    return data.status === 'completed' && data;
  });

async function aTemplate(api: Api, subject: string) {
  const body = { name: subject, channel: 'email', subject, text: `Text of ${subject}` };
  const { data } = await api.createTemplate({ body });
  await api.activateTemplate({ params: { id: data.id } });
  return data.id as string;
}

describe('the variants of a running test', () => {
  it('reach the mailbox; the same lead gets the same variant again, also in another version of the workflow', async () => {
    const api = service.as();
    const running = await aRunningTest(api);
    const { workflowId } = running;
    const { a, b, all: leads } = leadsWith(api, running, { a: 3, b: 3 });
    await enroll(api, workflowId, leads);
    await allGot(leads);
    const first = leads.map((leadId) => subjectsTo(leadId)[0]);
    expect([a, b].map((of) => new Set(of?.flatMap(subjectsTo)))).toEqual([
      new Set(['Subject a']),
      new Set(['Subject b']),
    ]);
    await sentAll(api, workflowId, 6);
    await api.updateWorkflow({ params: { id: workflowId }, body: graph({ subjectLine: 'Edited' }, ['end']) });
    expect((await api.publishWorkflow({ params: { id: workflowId }, body: {} })).data.publishedVersion).toBe(2);
    await enroll(api, workflowId, leads);
    await allGot(leads, 2);
    expect(leads.map((leadId) => subjectsTo(leadId)[1])).toEqual(first);
  });

  it('are stored with their messages, whose opens by people count, and those by machines do not (row 11)', async () => {
    const api = service.as();
    const running = await aRunningTest(api);
    const { params, workflowId } = running;
    const { a = [], b = [], all } = leadsWith(api, running, { a: 4, b: 5 });
    await enroll(api, workflowId, all);
    const messages = await sentAll(api, workflowId, 9);
    expect(new Set(messages.map(({ abTestId }) => abTestId))).toEqual(new Set([params.testId]));
    const variantOf = new Map(messages.map(({ leadId, variant }) => [leadId, variant]));
    expect(all.map((leadId) => variantOf.get(leadId))).toEqual([...a.map(() => 'a'), ...b.map(() => 'b')]);
    for (const leadId of a) await open(api, leadId, 'Proofpoint-URL-Defense/1.0');
    await open(api, b[0] as string);
    const results = await resultsOf(api, params);
    expect(results).toMatchObject({
      status: 'running',
      metric: 'open',
      leader: 'b',
      isSignificant: false,
      canPromote: false,
    });
    expect(results.variants).toMatchObject([
      { key: 'a', sent: 4, count: 0, rate: 0, interval: { low: 0 } },
      { key: 'b', sent: 5, count: 1, rate: 0.2 },
    ]);
  });

  it('wait for their time of day', async () => {
    const api = service.as();
    const at = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(11, 16);
    const variants = [
      { key: 'now', weight: 50 },
      { key: 'later', weight: 50, override: { at } },
    ];
    const running = await aRunningTest(api, { target: 'send_time', variants });
    const { params, workflowId } = running;
    const { now = [], all: leads } = leadsWith(api, running, { now: 2, later: 3 });
    await enroll(api, workflowId, leads);
    await allGot(now);
    const held = await waiting(api, workflowId, 3);
    for (const { dueAt } of held) expect(dueAt.slice(11, 16)).toBe(at);
    expect((await api.stopAbTest({ params })).status).toBe(200);
    await allGot(leads);
  });

  it('leave leads outside of the sample the original at once, without autoPromote', async () => {
    const api = service.as();
    const variants = [
      { key: 'b', weight: 50, override: { subjectLine: 'Subject b' } },
      { key: 'c', weight: 50, override: { subjectLine: 'Subject c' } },
    ];
    const running = await aRunningTest(api, { variants, samplePercent: 40 });
    const { none, all } = leadsWith(api, running, { none: 3, b: 1, c: 1 });
    await enroll(api, running.workflowId, all);
    const messages = await sentAll(api, running.workflowId, 5);
    const original = messages.filter(({ subject }) => subject === 'Subject a');
    expect(original.map(({ leadId }) => leadId).sort()).toEqual(none?.toSorted());
    expect(original.every(({ variant, abTestId }) => variant === null && abTestId === null)).toBe(true);
  });

  it('count as converted when the lead submits a form or is converted afterwards', async () => {
    const api = service.as();
    const running = await aRunningTest(api, { metric: 'conversion' });
    const { params, workflowId } = running;
    const { all: leads } = leadsWith(api, running, { a: 1, b: 2 });
    const insert = (leadId: string, type: string, at: string) =>
      service.sqlWithin(api.caller, `INSERT INTO engagement (type, lead_id, at) VALUES ($2, $1, ${at})`, [
        leadId,
        type,
      ]);
    await insert(leads[0] as string, 'form_submission', `now() - interval '1 hour'`);
    await enroll(api, workflowId, leads);
    await sentAll(api, workflowId, 3);
    await insert(leads[1] as string, 'form_submission', 'now()');
    await insert(leads[1] as string, 'conversion', 'now()');
    await insert(leads[2] as string, 'page_visit', 'now()');
    const { variants } = await resultsOf(api, params);
    expect(variants).toMatchObject([
      { key: 'a', sent: 1, count: 0 },
      { key: 'b', sent: 2, count: 1 },
    ]);
  });
});

describe('the winner', () => {
  it('is copied, can be any variant, and the step never empties: also after its template is gone (row 13)', async () => {
    const api = service.as();
    const [own, other] = [await aTemplate(api, 'Template a'), await aTemplate(api, 'Template b')];
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50, templateId: other },
    ];
    const data = { templateId: codec.encode('template', tenantOf(api), Number(own)) };
    const running = await aRunningTest(api, { target: 'template', data, variants });
    const { params, workflowId } = running;
    // Everything that was copied may change or disappear.
    await api.updateTemplate({ params: { id: other }, body: { subject: 'Changed' } });
    await api.archiveTemplate({ params: { id: own } });
    expect((await api.deleteTemplate({ params: { id: other } })).status).toBe(200);
    const { a = [], all } = leadsWith(api, running, { a: 2, b: 2 });
    await enroll(api, workflowId, all);
    const messages = await sentAll(api, workflowId, 4);
    const templates = new Map(messages.map(({ subject, templateId }) => [subject, templateId]));
    expect(templates).toEqual(
      new Map([
        ['Template a', own],
        ['Template b', other],
      ]),
    );
    await open(api, a[0] as string);
    expect((await resultsOf(api, params)).leader).toBe('a');
    const { data: test } = await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    expect(test).toMatchObject({ status: 'completed', winnerKey: 'b', decidedBy: 'user' });
    const { all: later } = leadsWith(api, running, { a: 2, b: 2 });
    await enroll(api, workflowId, later);
    await allGot(later);
    expect(later.map((leadId) => subjectsTo(leadId))).toEqual(later.map(() => ['Template b']));
    const after = (await sentAll(api, workflowId, 8)).filter(({ leadId }) => later.includes(leadId as string));
    expect(after.every(({ variant, abTestId }) => variant === 'b' && abTestId === null)).toBe(true);
    const { variants: results } = await resultsOf(api, params);
    expect(results.map(({ sent }: { sent: number }) => sent)).toEqual([2, 2]);
  });

  it('is sent until the content of the node is changed', async () => {
    const api = service.as();
    const running = await aRunningTest(api);
    const { params, workflowId } = running;
    await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    const { a: [one, two] = [] } = leadsWith(api, running, { a: 2 }) as { a?: [string, string] };
    if (!one || !two) throw new Error('There are no leads');
    await enroll(api, workflowId, [one]);
    await allGot([one]);
    await api.updateWorkflow({ params: { id: workflowId }, body: graph({ subjectLine: 'New subject' }) });
    await api.publishWorkflow({ params: { id: workflowId }, body: {} });
    await enroll(api, workflowId, [two]);
    await allGot([two]);
    expect([subjectsTo(one), subjectsTo(two)]).toEqual([['Subject b'], ['New subject']]);
  });

  it('is chosen by itself when it is significant, and the leads that wait for it get it', async () => {
    const api = service.as();
    const running = await aRunningTest(api, { autoPromote: true, samplePercent: 60, minSample: 4 });
    const { params, workflowId } = running;
    const { none = [], b = [], all } = leadsWith(api, running, { a: 6, b: 6, none: 5 });
    await enroll(api, workflowId, all);
    await sentAll(api, workflowId, 12);
    await waiting(api, workflowId, 5);
    await look(api);
    await until('the job has looked and waits', async () => {
      const [job] = await service.sqlWithin(
        api.caller,
        `SELECT due_at > now() + interval '10 minutes' AS later FROM platform.job WHERE name = 'examine-ab-test'`,
      );
      return job?.later === true;
    });
    expect((await api.getAbTest({ params })).data.status).toBe('running');
    for (const leadId of b) await open(api, leadId);
    expect(await resultsOf(api, params)).toMatchObject({ leader: 'b', isSignificant: true, canPromote: true });
    await look(api);
    const test = await completed(api, params);
    expect(test).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: false });
    await allGot(all);
    expect(none.flatMap(subjectsTo)).toEqual(none.map(() => 'Subject b'));
    const event = await until('the event arrives', () =>
      service.events.find(({ name, tenantId }) => name === 'ab_test.completed' && tenantId === tenantOf(api)),
    );
    expect(event.data).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: false });
  });

  it('is flagged as inconclusive at the end of a test without a significant leader', async () => {
    const api = service.as();
    const running = await aRunningTest(api, { autoPromote: true, samplePercent: 50 });
    const { params, workflowId } = running;
    const { none = [], b = [], all } = leadsWith(api, running, { a: 1, b: 1, none: 2 });
    await enroll(api, workflowId, all);
    await sentAll(api, workflowId, 2);
    await waiting(api, workflowId, 2);
    await open(api, b[0] as string);
    await service.sqlWithin(api.caller, 'UPDATE ab_test SET ends_at = now() WHERE id = $1', [params.testId]);
    await look(api);
    expect(await completed(api, params)).toMatchObject({ winnerKey: 'b', decidedBy: 'automatic', inconclusive: true });
    await allGot(all);
    expect(none.flatMap(subjectsTo)).toEqual(['Subject b', 'Subject b']);
  });
});

describe('a stopped test', () => {
  it('gives the original to the leads that wait, and to all later ones', async () => {
    const api = service.as();
    const variants = [
      { key: 'b', weight: 50, override: { subjectLine: 'Subject b' } },
      { key: 'c', weight: 50, override: { subjectLine: 'Subject c' } },
    ];
    const running = await aRunningTest(api, { variants, autoPromote: true, samplePercent: 1 });
    const { params, workflowId } = running;
    const { all: leads } = leadsWith(api, running, { none: 5 });
    await enroll(api, workflowId, leads);
    const held = await waiting(api, workflowId, 5);
    // Not longer than the test.
    for (const { dueAt } of held)
      expect(new Date(dueAt).getTime() - Date.now()).toBeLessThanOrEqual(72 * 3_600_000 + 5 * 60_000);
    await api.stopAbTest({ params });
    await allGot(leads);
    expect(new Set(leads.flatMap(subjectsTo))).toEqual(new Set(['Subject a']));
    const messages = await sentAll(api, workflowId, 5);
    expect(messages.every(({ variant, abTestId }) => variant === null && abTestId === null)).toBe(true);
  });
});
