import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { publishEngagement } from '../../engine.test-service.ts';

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
type Node = ReturnType<typeof aNode>;

const tenantOf = (api: Api) => api.caller.tenantId as number;

/** Nodes in a row after a trigger. */
function inARow(...nodes: Node[]) {
  const all = [aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }), ...nodes];
  const edges = all.slice(1).map(({ nodeId }, index) => ({
    edgeId: `e${index}`,
    source: all[index]?.nodeId as string,
    target: nodeId,
  }));
  return { nodes: all, edges };
}

const email = (nodeId: string, data: Record<string, unknown> = {}) =>
  aNode(nodeId, { type: 'email', data: { subjectLine: `Hello {{ lead.firstName }} (${nodeId})`, ...data } });
const wait = (nodeId: string, data: Record<string, unknown> = { duration: 1, durationUnit: 'days' }) =>
  aNode(nodeId, { type: 'wait', data });

async function published(api: Api, graph: object, settings: object = {}) {
  const { data } = await api.createWorkflow({ body: { name: 'Test', settings, ...graph } });
  const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return reply.data.id as string;
}

async function enrolled(api: Api, id: string, leadId: string) {
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } });
  expect(data.results[0].result).toBe('enrolled');
  return data.results[0].executionId as string;
}

const executionOf = async (api: Api, id: string) => (await api.getWorkflowExecution({ params: { id } })).data;

const inStatus = (api: Api, id: string, status: string) =>
  until(`the execution is ${status}`, async () => {
    const execution = await executionOf(api, id);
    return execution.status === status && execution;
  });

const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`);

describe('a published workflow', () => {
  it('sends its first e-mail, waits, and shows each step', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { firstName: 'Ada' });
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    const execution = await inStatus(api, executionId, 'waiting');
    expect(execution).toMatchObject({ nodeId: 'pause', workflowVersion: 1, leadId, source: 'manual', endedAt: null });
    expect(new Date(execution.dueAt).getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(execution.steps.map(({ nodeId, outcome }: Record<string, string>) => [nodeId, outcome])).toEqual([
      ['start', 'done'],
      ['one', 'done'],
      ['pause', 'waiting'],
    ]);
    const [mail, ...others] = mailsTo(leadId);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Hello Ada (one)');
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data).toMatchObject([{ status: 'sent', uncertain: false, nodeId: 'one', executionId, workflowId: id }]);
  });

  it('runs a generated sequence unchanged', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const { data: sequence } = await api.generateSequence({ body: { prompt: 'Welcome new leads', emailCount: '4' } });
    const { data: workflow } = await api.createWorkflow({ body: sequence });
    const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    await enrolled(api, workflow.id, leadId);
    await until('the first e-mail arrives', () => mailsTo(leadId).length === 1);
  });

  it('continues when a wait ends, with the version that it began with', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(email('one'), wait('pause'), email('three')) });
    expect((await api.publishWorkflow({ params: { id }, body: {} })).data.publishedVersion).toBe(2);
    await hurry(api, executionId);
    expect(await inStatus(api, executionId, 'completed')).toMatchObject({ workflowVersion: 1, endReason: 'completed' });
    expect(mailsTo(leadId).map(({ subject }) => subject.slice(-5))).toEqual(['(one)', '(two)']);
  });

  it('moves leads to the new version with migrate, if their node is still there', async () => {
    const api = service.as();
    const [stays, moves] = [crm.addLead(tenantOf(api)), crm.addLead(tenantOf(api))];
    const id = await published(api, inARow(wait('pause'), email('two')));
    const one = await enrolled(api, id, moves);
    await inStatus(api, one, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(wait('pause'), email('three')) });
    await api.publishWorkflow({ params: { id }, body: { migrate: true } });
    await hurry(api, one);
    expect(await inStatus(api, one, 'completed')).toMatchObject({ workflowVersion: 2 });
    expect(mailsTo(moves)[0]?.subject).toContain('(three)');
    const other = await enrolled(api, id, stays);
    await inStatus(api, other, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(wait('longer'), email('three')) });
    await api.publishWorkflow({ params: { id }, body: { migrate: true } });
    expect((await executionOf(api, other)).workflowVersion).toBe(2);
  });
});

describe('a pause', () => {
  it('holds back what falls due, and resuming sends it once', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    expect((await api.pauseWorkflow({ params: { id } })).data.status).toBe('paused');
    expect((await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } })).status).toBe(409);
    await hurry(api, executionId);
    await until('it is parked', async () => (await rowOf(api, executionId)).parked === true);
    expect(mailsTo(leadId)).toEqual([]);
    expect((await api.resumeWorkflow({ params: { id } })).data.status).toBe('published');
    await inStatus(api, executionId, 'completed');
    expect(mailsTo(leadId)).toHaveLength(1);
  });
});

describe('an archived workflow', () => {
  const sql = (api: Api, text: string, id: string) => service.sqlWithin(api.caller, text, [id]);

  it('cancels what falls due, and does not continue what failed', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    // As if the execution had begun after the job that cancels all.
    await sql(api, "UPDATE workflow SET status = 'archived' WHERE id = $1", id);
    await hurry(api, executionId);
    expect(await inStatus(api, executionId, 'cancelled')).toMatchObject({
      endReason: 'workflow_archived',
      dueAt: null,
      endedAt: expect.any(String),
    });
    await sql(api, "UPDATE execution SET status = 'failed' WHERE id = $1", executionId);
    const retry = { params: { id: executionId } };
    expect(await api.retryExecution(retry)).toMatchObject({ status: 409, body: { code: 'not_published' } });
    await sql(api, "UPDATE workflow SET status = 'published' WHERE id = $1", id);
    expect((await api.retryExecution(retry)).data.status).toBe('running');
  });
});

describe('conditions', () => {
  const graph = () => {
    const nodes = [
      aNode('start', { type: 'trigger', data: {} }),
      email('one', {
        html: '<p>Look <a href="https://example.com/offer?a=1&amp;b=2">here</a> or <a href="mailto:a@b.de">write</a></p>',
      }),
      wait('pause'),
      aNode('opened', { type: 'condition', data: { conditionField: 'link_clicked' } }),
      email('yes'),
      email('no'),
    ];
    const pairs = [
      ['start', 'one'],
      ['one', 'pause'],
      ['pause', 'opened'],
      ['opened', 'yes'],
      ['opened', 'no'],
    ];
    return { nodes, edges: pairs.map(([source, target], index) => ({ edgeId: `e${index}`, source, target })) };
  };

  async function reached(isPerson: boolean) {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, graph());
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const [mail] = mailsTo(leadId);
    const [, link] = /href="(https:\/\/api\.example\.com\/v1\/public\/t\/c\/[^"]+)"/.exec(mail?.html ?? '') ?? [];
    expect(mail?.html).toContain('href="mailto:a@b.de"');
    await backdate(api, leadId);
    const token = (link as string).split('/').at(-1) as string;
    const userAgent = isPerson ? 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' : 'Proofpoint-URL-Defense/1.0';
    const click = await service.as({ type: 'anonymous', userAgent } as never).trackClick({ params: { token } });
    expect([click.status, click.headers['location']]).toEqual([302, 'https://example.com/offer?a=1&b=2']);
    await hurry(api, executionId);
    await inStatus(api, executionId, 'completed');
    return { api, subjects: mailsTo(leadId).map(({ subject }) => subject), leadId };
  }

  it('follow the click of a person', async () => {
    const { subjects, api, leadId } = await reached(true);
    expect(subjects[1]).toContain('(yes)');
    const message = (await api.listMessages({ query: { leadId } })).data.find(
      ({ nodeId }: { nodeId: string }) => nodeId === 'one',
    );
    expect([message.clickedAt, message.openedAt]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('ignore the click of a link scanner', async () => {
    const { subjects, api, leadId } = await reached(false);
    expect(subjects[1]).toContain('(no)');
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data.map(({ clickedAt }: { clickedAt: string | null }) => clickedAt)).toEqual([null, null]);
  });
});

it('conditions and goals see what the nodes before them changed', async () => {
  const api = service.as();
  const leadId = crm.addLead(tenantOf(api), { score: 10 });
  const nodes = [
    aNode('start', { type: 'trigger', data: {} }),
    aNode('raise', { type: 'update_lead', data: { fields: { score: 90 } } }),
    aNode('hot', {
      type: 'condition',
      data: { conditionField: 'score', conditionOperator: 'at_least', conditionValue: 50 },
    }),
    aNode('tag', { type: 'update_lead', data: { addTags: ['vip'] } }),
    aNode('vip', { type: 'goal', data: { conditions: [{ field: 'tags', operator: 'contains', value: 'vip' }] } }),
    wait('pause'),
  ];
  const pairs = [
    ['start', 'raise'],
    ['raise', 'hot'],
    ['hot', 'tag'],
    ['hot', 'pause'],
    ['tag', 'vip'],
    ['vip', 'pause'],
  ];
  const edges = pairs.map(([source, target], index) => ({ edgeId: `e${index}`, source, target }));
  const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', nodes, edges } });
  const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  const execution = await inStatus(api, await enrolled(api, workflow.id, leadId), 'completed');
  expect(execution).toMatchObject({ nodeId: 'vip', endReason: 'goal' });
});

describe('what leads do', () => {
  it('ends a sequence at a reply, and lets an execution continue that waits for it', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const ending = await published(api, inARow(wait('pause'), email('one')));
    const waiting = await published(
      api,
      inARow(aNode('answer', { type: 'wait_for_event', data: { event: 'email_reply', duration: 3 } }), email('thanks')),
      { exitOn: [] },
    );
    const [one, two] = [await enrolled(api, ending, leadId), await enrolled(api, waiting, leadId)];
    await Promise.all([inStatus(api, one, 'waiting'), inStatus(api, two, 'waiting')]);
    await publishEngagement(service, api, { type: 'email_reply', leadId });
    expect(await inStatus(api, one, 'exited')).toMatchObject({ endReason: 'reply', dueAt: null });
    const answered = await inStatus(api, two, 'completed');
    expect(answered.steps[1]).toMatchObject({ nodeId: 'answer', outcome: 'done', result: { branch: 'yes' } });
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('ends a sequence when the lead unsubscribes, and no later message is sent', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const [mail] = mailsTo(leadId);
    expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    const [, token] =
      /<https:\/\/api\.example\.com\/v1\/public\/unsubscribe\/([^>]+)>/.exec(mail?.headers['list-unsubscribe'] ?? '') ??
      [];
    const anyone = service.as({ type: 'anonymous' } as never);
    expect((await anyone.getUnsubscribe({ params: { token: token as string } })).status).toBe(200);
    expect((await executionOf(api, executionId)).status).toBe('waiting');
    expect((await anyone.unsubscribe({ params: { token: token as string }, body: {} })).status).toBe(200);
    expect(await inStatus(api, executionId, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
    const again = await published(api, inARow(email('three')));
    const { data } = await api.enrollLeads({ params: { id: again }, body: { leadIds: [leadId] } });
    expect(data.results).toEqual([{ leadId, result: 'suppressed', executionId: null }]);
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('ends only sequences with messages of the channel from which the lead unsubscribes', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { phone: '+491701234567' });
    const text = aNode('text', { type: 'sms', data: { text: 'Hello' } });
    const [byEmail, byText] = [
      await published(api, inARow(email('one'), wait('pause'), email('two'))),
      await published(api, inARow(wait('pause'), text)),
    ];
    const [mails, texts] = [await enrolled(api, byEmail, leadId), await enrolled(api, byText, leadId)];
    await Promise.all([inStatus(api, mails, 'waiting'), inStatus(api, texts, 'waiting')]);
    const [, token = ''] = /unsubscribe\/([^>]+)>/.exec(mailsTo(leadId)[0]?.headers['list-unsubscribe'] ?? '') ?? [];
    const anyone = service.as({ type: 'anonymous' } as never);
    const change = { params: { token }, body: { channels: { sms: false } } };
    expect((await anyone.updatePreferences(change)).status).toBe(200);
    expect(await inStatus(api, texts, 'exited')).toMatchObject({ endReason: 'unsubscribe' });
    expect((await executionOf(api, mails)).status).toBe('waiting');
    const [message] = await service.sqlWithin(api.caller, 'SELECT unsubscribed_at FROM message');
    expect(message).toEqual({ unsubscribed_at: null });
  });
});

describe('a message is not sent', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'without consent',
      { consent: { email: { state: 'denied', at: new Date().toISOString(), source: null } } },
      'no_consent',
    ],
  ])('%s, and the execution goes on', async (_, fields, reason) => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), fields);
    const id = await published(api, inARow(email('one')));
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(execution.steps[1]).toMatchObject({ outcome: 'skipped', skipReason: reason });
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data).toMatchObject([{ status: 'skipped', skipReason: reason, sentAt: null }]);
  });

  it('in quiet hours of the lead: it waits for the morning of the lead', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { timezone: 'Asia/Tokyo' });
    const hour = (hours: number) => new Date(Date.now() + (9 + hours) * 3_600_000).toISOString().slice(11, 16);
    const quietHours = { from: hour(-1), to: hour(2) };
    const id = await published(api, inARow(email('one')), { quietHours });
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'waiting');
    expect(execution.steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'quiet_hours' } });
    const opensIn = new Date(execution.dueAt).getTime() - Date.now();
    expect(opensIn).toBeGreaterThan(1.9 * 3_600_000);
    expect(opensIn).toBeLessThan(2.1 * 3_600_000);
    expect(mailsTo(leadId)).toEqual([]);
  });

  it('more often on a day than the workflow permits', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), email('two')), { maxPerLeadPerDay: 1 });
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'waiting');
    expect(execution.steps[2]).toMatchObject({ result: { reason: 'max_per_lead_per_day' } });
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('more often on a day when several workflows send at the same moment', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    await inStatus(api, await enrolled(api, await published(api, inARow(email('first'))), leadId), 'completed');
    const executions: string[] = [];
    for (const name of ['one', 'two'])
      executions.push(
        await enrolled(api, await published(api, inARow(wait('pause'), email(name)), { maxPerLeadPerDay: 2 }), leadId),
      );
    for (const id of executions) await inStatus(api, id, 'waiting');
    await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE due_at IS NOT NULL');
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND state = 'waiting'`,
    );
    const reasons = await until('both sent or wait', async () => {
      const all = await Promise.all(executions.map((id) => executionOf(api, id)));
      return all.every(({ steps }) => steps.length === 3) && all.map(({ steps }) => steps[2].result.reason);
    });
    expect(reasons.toSorted()).toEqual(['max_per_lead_per_day', undefined]);
    expect(mailsTo(leadId)).toHaveLength(2);
  });

  it('from the sandbox', async () => {
    const api = service.as({ environment: 'sandbox' });
    const leadId = crm.addLead(tenantOf(api), {}, 'sandbox');
    const id = await published(api, inARow(email('one')));
    await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect((await api.listMessages()).data).toMatchObject([{ status: 'sent', simulated: true }]);
    expect(mailsTo(leadId)).toEqual([]);
  });

  it('again when its process ended while it was sent: it is flagged', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    // A process that is killed between the claim and the answer of the mail server leaves this row.
    await service.sqlWithin(
      api.caller,
      `INSERT INTO message (execution_id, workflow_id, node_id, lead_id, channel, status, claimed_at, attempts)
       VALUES ($1, $2, 'one', $3, 'email', 'sending', now(), 1)`,
      [executionId, id, leadId],
    );
    await hurry(api, executionId);
    const execution = await inStatus(api, executionId, 'completed');
    expect(execution.steps.at(-1)).toMatchObject({ nodeId: 'one', outcome: 'uncertain' });
    expect((await api.listMessages({ query: { leadId } })).data).toMatchObject([{ status: 'sent', uncertain: true }]);
    expect(mailsTo(leadId)).toEqual([]);
  });
});

describe('enrollment', () => {
  it('happens once per lead, also with concurrent requests, and follows the re-entry rule', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause')));
    const enroll = async () => (await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } })).data.results[0];
    const results = await Promise.all([enroll(), enroll(), enroll()]);
    expect(results.map(({ result }) => result).sort()).toEqual(['already_in', 'already_in', 'enrolled']);
    expect(new Set(results.map(({ executionId }) => executionId)).size).toBe(1);
    await api.cancelExecution({ params: { id: results[0].executionId } });
    expect((await enroll()).result).toBe('reentry_blocked');
    const unknown = await api.enrollLeads({ params: { id }, body: { leadIds: ['999999'] } });
    expect(unknown.data.results).toEqual([{ leadId: '999999', result: 'not_found', executionId: null }]);
  });

  it('is refused while the workflow is a draft', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const { data } = await api.createWorkflow({ body: { name: 'Draft', ...inARow(wait('pause')) } });
    const reply = await api.enrollLeads({ params: { id: data.id }, body: { leadIds: [leadId] } });
    expect([reply.status, reply.body.code]).toEqual([409, 'not_published']);
  });
});

describe('crm', () => {
  it('can be away: executions wait for it, and continue', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    crm.isDown = true;
    await hurry(api, executionId);
    await until('it is postponed', () => isPostponed(api, executionId));
    crm.isDown = false;
    expect((await executionOf(api, executionId)).status).toBe('waiting');
    await hurry(api, executionId);
    await inStatus(api, executionId, 'completed');
    expect(mailsTo(leadId)).toHaveLength(1);
  });
});

const rowOf = async (api: Api, id: string) =>
  (await service.sqlWithin(api.caller, 'SELECT * FROM execution WHERE id = $1', [id]))[0] as Record<string, unknown>;

/** Whether the job of an execution was postponed. */
async function isPostponed(api: Api, executionId: string): Promise<boolean> {
  const [job] = await service.sqlWithin(
    api.caller,
    `SELECT attempts = 0 AND due_at > now() + interval '5 s' AS postponed FROM platform.job
      WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1 AND state = 'waiting'`,
    [executionId],
  );
  return job?.postponed === true;
}

/** Lets the time of an execution come. */
async function hurry(api: Api, executionId: string): Promise<void> {
  await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL', [
    executionId,
  ]);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1 AND state = 'waiting'`,
    [executionId],
  );
}

/** As if the messages to a lead had been sent an hour ago: a person takes longer than a scanner. */
const backdate = (api: Api, leadId: string) =>
  service.sqlWithin(api.caller, `UPDATE message SET sent_at = sent_at - interval '1 hour' WHERE lead_id = $1`, [
    leadId,
  ]);
