import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import type { TestService } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, codeOf, enrolled, inARow, inStatus, published } from '../../engine.test-service.ts';

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

const startAt = '2026-03-02T10:00:00.000Z';
const email = (nodeId: string, data: Record<string, unknown> = {}) =>
  aNode(nodeId, { data: { subjectLine: 'Hello {{ lead.firstName }}', text: 'Score {{ lead.score }}', ...data } });
const wait = (nodeId: string, duration = 2) =>
  aNode(nodeId, { type: 'wait', data: { duration, durationUnit: 'days' } });
const condition = (nodeId: string, data: Record<string, unknown>) => aNode(nodeId, { type: 'condition', data });

/** Nodes in a row, then a condition with a node for each branch. */
function branching(before: ReturnType<typeof aNode>[], asked: Record<string, unknown>) {
  const { nodes, edges } = inARow(...before, condition('asked', asked));
  const ends = [email('yes', { subjectLine: 'Yes' }), email('no', { subjectLine: 'No' })];
  const branches = ends.map(({ nodeId }) => ({ edgeId: nodeId, source: 'asked', target: nodeId, branch: nodeId }));
  return { nodes: [...nodes, ...ends], edges: [...edges, ...branches] };
}

async function draft(api: Api, graph: object, settings: object = {}): Promise<string> {
  return (await api.createWorkflow({ body: { name: 'Draft', settings, ...graph } })).data.id;
}

async function tested(api: Api, id: string, body: Record<string, unknown> = {}) {
  const reply = await api.testWorkflow({ params: { id }, body: { startAt, ...body } });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return reply.data;
}

const path = ({ steps }: { steps: { nodeId: string }[] }) => steps.map(({ nodeId }) => nodeId);

describe('validateWorkflow', () => {
  it('returns the errors of a publication, and changes nothing', async () => {
    const api = service.as();
    const id = await draft(
      api,
      inARow(aNode('empty', { type: 'email', data: {} }), aNode('text', { type: 'sms', data: {} })),
    );
    const reply = await api.validateWorkflow({ params: { id } });
    expect([reply.status, reply.data.valid]).toEqual([200, false]);
    const refused = await api.publishWorkflow({ params: { id }, body: {} });
    expect([refused.status, refused.body.errors]).toEqual([422, reply.data.errors]);
    await api.updateWorkflow({ params: { id }, body: inARow(email('one')) });
    expect((await api.validateWorkflow({ params: { id } })).data).toEqual({ valid: true, errors: [] });
    expect((await api.getWorkflow({ params: { id } })).data.status).toBe('draft');
  });

  it('names a message of a condition or of an event that the workflow does not send', async () => {
    const api = service.as();
    const asking = (nodeId: string) => branching([email('one'), wait('two')], { conditionField: 'email_open', nodeId });
    const message = 'Must be the nodeId of an email or sms node of this workflow';
    for (const nodeId of ['none', 'two']) {
      const params = { id: await draft(api, asking(nodeId)) };
      const errors = [{ field: 'nodes.asked.nodeId', message }];
      expect((await api.validateWorkflow({ params })).data.errors).toEqual(errors);
      const refused = await api.publishWorkflow({ params, body: {} });
      expect([refused.status, refused.body.errors]).toEqual([422, errors]);
    }
    const params = { id: await draft(api, asking('one')) };
    expect((await api.validateWorkflow({ params })).data.errors).toEqual([]);
    const after = { duration: 1, durationUnit: 'hours' };
    const events = ['one', 'none', 'two'].map((nodeId) => ({ event: 'email_open', nodeId, after }));
    const reply = await api.testWorkflow({ params, body: { startAt, events } });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [
        { field: 'events.1.nodeId', message },
        { field: 'events.2.nodeId', message },
      ],
    ]);
  });

  it('names what each setting of a node accepts', async () => {
    const api = service.as();
    const nodes = [
      aNode('mail', { type: 'email', data: {} }),
      aNode('task', { type: 'create_task', data: {} }),
      aNode('event', { type: 'wait_for_event', data: { event: 'nothing', duration: 'long' } }),
      aNode('lead', { type: 'update_lead', data: { fields: { status: 'nowhere', nickname: 'Ada' } } }),
    ];
    const { data } = await api.validateWorkflow({ params: { id: await draft(api, inARow(...nodes)) } });
    expect(data.errors).toEqual([
      { field: 'nodes.mail.subjectLine', message: 'Is required unless the node has `templateId`' },
      { field: 'nodes.task.title', message: 'Is required' },
      {
        field: 'nodes.event.event',
        message: 'Must be one of email_open, link_click, email_reply, form_submission, page_visit',
      },
      { field: 'nodes.event.duration', message: 'Must be a number' },
      { field: 'nodes.lead.fields.status', message: 'Must be one of new, contacted, qualified, unqualified' },
      { field: 'nodes.lead.fields', message: 'Must not contain unknown fields, such as nickname' },
    ]);
  });

  it("answers 404 for another tenant's workflow", async () => {
    const id = await draft(service.as(), inARow(email('one')));
    expect((await service.as().validateWorkflow({ params: { id } })).status).toBe(404);
    expect((await service.as().testWorkflow({ params: { id }, body: {} })).status).toBe(404);
  });
});

describe('testWorkflow', () => {
  it('shows the path of a lead in virtual time, with rendered messages, and sends and stores nothing', async () => {
    const api = service.as();
    const leadId = crm.addLead(api.caller.tenantId as number, { firstName: 'Ada', score: 40 });
    const id = await draft(api, inARow(email('one'), wait('pause'), email('two')));
    const result = await tested(api, id, { leadId });
    expect(result).toMatchObject({ end: 'completed', endedAt: '2026-03-04T10:00:00.000Z' });
    expect(path(result)).toEqual(['start', 'one', 'pause', 'two']);
    const effect = { channel: 'email', recipient: `lead${leadId}@example.com`, subject: 'Hello Ada', missing: [] };
    expect(result.steps[1]).toMatchObject({ outcome: 'done', startedAt: startAt, effect });
    expect(result.steps[1].effect.text).toContain('Score 40');
    expect(result.steps[2]).toMatchObject({ startedAt: startAt, endedAt: '2026-03-04T10:00:00.000Z' });
    expect(mailbox.to(`lead${leadId}@example.com`)).toEqual([]);
    expect((await api.listMessages()).data).toEqual([]);
    expect((await api.listWorkflowExecutions({ params: { id } })).data).toEqual([]);
    expect((await api.getWorkflow({ params: { id } })).data.status).toBe('draft');
  });

  it('follows what the lead does with a message, and only in time', async () => {
    const api = service.as();
    const id = await draft(
      api,
      branching([email('one'), wait('pause')], { conditionField: 'email_open', nodeId: 'one' }),
    );
    const opens = (duration: number) => [
      { event: 'email_open', nodeId: 'one', after: { duration, durationUnit: 'days' } },
    ];
    expect(path(await tested(api, id, { events: opens(1) })).at(-1)).toBe('yes');
    expect(path(await tested(api, id, { events: opens(3) })).at(-1)).toBe('no');
    expect(path(await tested(api, id)).at(-1)).toBe('no');
  });

  it('ends by an event of exitOn, at the time of the event', async () => {
    const api = service.as();
    const id = await draft(api, inARow(email('one'), wait('pause'), email('two')));
    const reply = { event: 'email_reply', nodeId: 'one', after: { duration: 5, durationUnit: 'hours' } };
    const result = await tested(api, id, { events: [reply] });
    expect(result).toMatchObject({ end: 'exited', endReason: 'reply', endedAt: '2026-03-02T15:00:00.000Z' });
    expect(path(result)).toEqual(['start', 'one', 'pause']);
  });

  it('lets an event end the wait for it, before its time', async () => {
    const api = service.as();
    const waiting = aNode('answer', {
      type: 'wait_for_event',
      data: { event: 'page_visit', duration: 3, durationUnit: 'days' },
    });
    const id = await draft(api, inARow(waiting, email('thanks')));
    const visit = { event: 'page_visit', after: { duration: 1, durationUnit: 'days' } };
    const [, answer] = (await tested(api, id, { events: [visit] })).steps;
    expect(answer).toMatchObject({ branch: 'yes', endedAt: '2026-03-03T10:00:00.000Z' });
  });

  it('lets changes of the workflow count for its conditions, and shows tasks', async () => {
    const api = service.as();
    const nodes = [
      aNode('tag', { type: 'update_lead', data: { addTags: ['hot'] } }),
      aNode('call', { type: 'create_task', data: { title: 'Call', dueInDays: 2 } }),
    ];
    const asked = { conditionField: 'tags', conditionOperator: 'contains', conditionValue: 'hot' };
    const { steps } = await tested(api, await draft(api, branching(nodes, asked)));
    expect(steps[1].effect).toEqual({ fields: { tags: ['hot'] } });
    expect(steps[2].effect).toMatchObject({ title: 'Call', dueAt: '2026-03-04T10:00:00.000Z' });
    expect(steps.at(-1).nodeId).toBe('yes');
  });

  it('shows the texts of tasks and notifications as they would be', async () => {
    const api = service.as();
    const nodes = [
      aNode('call', { type: 'create_task', data: { title: 'Call {{ lead.firstName }}', type: 'call' } }),
      aNode('tell', { type: 'notify', data: { message: '{{ lead.firstName }} waits' } }),
    ];
    const { steps } = await tested(api, await draft(api, inARow(...nodes)), { sample: { firstName: 'Zoe' } });
    expect(steps[1].effect).toMatchObject({ title: 'Call Zoe', type: 'call' });
    expect(steps[2].effect).toMatchObject({ message: 'Zoe waits' });
  });

  it('shows why a message would not be sent, and waits for the end of quiet hours', async () => {
    const api = service.as();
    const id = await draft(api, inARow(email('one')), { quietHours: { from: '09:00', to: '12:00' } });
    const { steps } = await tested(api, id, { sample: { timezone: 'UTC' } });
    expect(steps[1]).toMatchObject({ outcome: 'done', endedAt: '2026-03-02T12:00:00.000Z' });
    await api.createSuppression({ body: { channel: 'email', value: 'no@example.com', reason: 'unsubscribe' } });
    const refused = await tested(api, id, { sample: { email: 'no@example.com' } });
    expect(refused.steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'suppressed' });
  });

  it('ends after its last step in a workflow that never ends', async () => {
    const api = service.as();
    const { nodes, edges } = inARow(wait('pause'), email('again'));
    const id = await draft(api, { nodes, edges: [...edges, { edgeId: 'back', source: 'again', target: 'pause' }] });
    const result = await tested(api, id);
    expect([result.end, result.steps.length]).toEqual(['unfinished', 100]);
  });

  it('refuses a draft that cannot run, and a lead that is not there, naming the field', async () => {
    const api = service.as();
    const broken = await draft(api, inARow(aNode('empty', { type: 'email', data: {} })));
    const reply = await api.testWorkflow({ params: { id: broken }, body: {} });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, 'nodes.empty.subjectLine']);
    const id = await draft(api, inARow(email('one')));
    const missing = await api.testWorkflow({ params: { id }, body: { leadId: '999999' } });
    expect([missing.status, missing.body.errors?.[0]?.field]).toEqual([422, 'leadId']);
  });
});

describe('a condition on a segment', () => {
  const asking = (code: string, operator?: string) =>
    branching([], {
      conditionField: 'segment',
      conditionValue: code,
      ...(operator && { conditionOperator: operator }),
    });

  it('takes the branch of the membership, of static and of filter segments', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const [inside, outside] = [crm.addLead(tenantId, { score: 80 }), crm.addLead(tenantId, { score: 10 })];
    const fixed = await api.createSegment({ body: { name: 'Fixed', type: 'static', leadIds: [inside] } });
    const conditions = [{ field: 'score', operator: 'at_least', value: 50 }];
    const filter = await api.createSegment({ body: { name: 'Filter', type: 'filter', conditions } });
    for (const { data: segment } of [fixed, filter]) {
      const id = await published(api, asking(codeOf(api, 'segment', segment.id)));
      const last = async (leadId: string) =>
        (await inStatus(api, await enrolled(api, id, leadId), 'completed')).steps.at(-1).nodeId;
      expect([await last(inside), await last(outside)]).toEqual(['yes', 'no']);
      expect(path(await tested(api, id, { leadId: inside })).at(-1)).toBe('yes');
    }
  });

  it('cannot be published for a segment that does not exist, and keeps its segment from deletion', async () => {
    const api = service.as();
    const code = codeOf(api, 'segment', '999999');
    const { data: workflow } = await api.createWorkflow({ body: { name: 'Test', ...asking(code) } });
    const refused = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    const error = { field: 'nodes.asked.conditionValue', message: 'Must be the id of a segment' };
    expect([refused.status, refused.body.errors]).toEqual([422, [error]]);
    const { data: segment } = await api.createSegment({ body: { name: 'Used', type: 'static' } });
    const id = await published(api, asking(codeOf(api, 'segment', segment.id), 'not_equals'));
    const used = await api.deleteSegment({ params: { id: segment.id } });
    expect([used.status, used.body.code]).toEqual([409, 'segment_in_use']);
    await api.archiveWorkflow({ params: { id } });
    expect((await api.deleteSegment({ params: { id: segment.id } })).status).toBe(200);
  });
});

it('tests a workflow with a sample person without the permission to read leads', async () => {
  const api = service.as();
  const id = await draft(api, inARow(email('hello')));
  const withoutLeads = service.as({ ...api.caller, permissions: ['workflows:read'] });
  expect(path(await tested(withoutLeads, id))).toContain('hello');
});
