import { publish, until } from '@tandem/testing';
import { graph, mailTests, tenantOf } from '../../ab-tests.test-service.ts';
import { aLead } from '../../crm-peer.test-service.ts';
import { hurry } from '../../engine.test-service.ts';

const { service, aRunningTest, allGot, enroll, leadsWith, hold, open, resultsOf, sentAll, subjectsTo, waiting } =
  mailTests();

describe('the variants of a running test', () => {
  it('reach the mailbox; the same lead gets the same variant again, also in another version of the workflow', async () => {
    const api = service().as();
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

  it('are stored with their messages, whose opens by people count, and those by machines do not', async () => {
    const api = service().as();
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
    const api = service().as();
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

  it('leave a message that is being sent alone when their test is stopped', async () => {
    const api = service().as();
    const at = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(11, 16);
    const variants = [
      { key: 'now', weight: 50 },
      { key: 'later', weight: 50, override: { at } },
    ];
    const running = await aRunningTest(api, { target: 'send_time', variants });
    const { params, workflowId } = running;
    const { all: leads } = leadsWith(api, running, { later: 2 });
    const [sending, other] = leads as [string, string];
    await enroll(api, workflowId, leads);
    await waiting(api, workflowId, 2);
    const query = { leadId: sending };
    const [execution] = (await api.listWorkflowExecutions({ params: { id: workflowId }, query })).data;
    const held = hold(sending);
    await service().sqlWithin(
      api.caller,
      `UPDATE execution SET entered_at = entered_at - interval '1 day' WHERE id = $1`,
      [execution.id],
    );
    await hurry(service(), api, execution.id);
    await until('the message is being sent', () => held.waiting() === 1);
    expect((await api.stopAbTest({ params })).status).toBe(200);
    await until('the other execution has ended', async () => {
      const { data } = await api.listWorkflowExecutions({ params: { id: workflowId }, query: { leadId: other } });
      return data[0].status === 'completed';
    });
    held.release();
    await sentAll(api, workflowId, 2);
    expect((await api.listMessages({ query })).data).toMatchObject([{ uncertain: false, error: null }]);
    const { data } = await api.getWorkflowExecution({ params: { id: execution.id } });
    expect(data.steps.at(-1)).toMatchObject({ nodeId: 'mail', outcome: 'done', skipReason: null });
  });

  it('leave leads outside of the sample the original at once, without autoPromote', async () => {
    const api = service().as();
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
    const api = service().as();
    const running = await aRunningTest(api, { metric: 'conversion' });
    const { params, workflowId } = running;
    const { all: leads } = leadsWith(api, running, { a: 1, b: 2 });
    const insert = (leadId: string, type: string, at: string) =>
      service().sqlWithin(api.caller, `INSERT INTO engagement (type, lead_id, at) VALUES ($2, $1, ${at})`, [
        leadId,
        type,
      ]);
    await insert(leads[0] as string, 'form_submission', `now() - interval '1 hour'`);
    await enroll(api, workflowId, leads);
    await sentAll(api, workflowId, 3);
    await insert(leads[0] as string, 'page_visit', 'now()');
    await insert(leads[1] as string, 'form_submission', 'now()');
    await insert(leads[1] as string, 'form_submission', 'now()');
    const tenantId = tenantOf(api);
    const record = aLead(leads[2] as string, tenantId);
    const changes = { convertedAt: new Date().toISOString() };
    const event = { target: { type: 'lead', id: Number(record.id) }, data: { leadId: record.id, changes }, record };
    await publish({ service: service(), tenantId }, 'lead.updated', event);
    const results = await until('both are counted', async () => {
      const found = await resultsOf(api, params);
      return found.variants[1].count === 2 && found;
    });
    expect(results.variants).toMatchObject([
      { key: 'a', sent: 1, count: 0 },
      { key: 'b', sent: 2, count: 2 },
    ]);
  });
});

it('refuses a test of e-mails in a completed campaign, when it is created and when it is started', async () => {
  const api = service().as();
  const { data: campaign } = await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
  const params = { id: campaign.id };
  const variants = [
    { key: 'a', weight: 50 },
    { key: 'b', weight: 50, override: { subjectLine: 'Other' } },
  ];
  const create = () =>
    api.createAbTest({ params, body: { name: 'Subject', target: 'subject', metric: 'open', variants } });
  const { data: draft } = await create();
  expect((await api.completeCampaign({ params })).status).toBe(200);
  for (const refused of [await create(), await api.startAbTest({ params: { ...params, testId: draft.id } })])
    expect([refused.status, refused.body.code]).toEqual([409, 'campaign_completed']);
});
