import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, type TestService, users } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import { type Api, codeOf, enrolled, hurry, inARow, inStatus, published, ran } from '../../../engine.test-service.ts';

let crm: CrmPeer;
let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, identity] = await Promise.all([crmPeer(), identityPeer()]);
  service = await startCampaign(undefined, identity.url, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), identity?.close()]);
});

const dayMs = 86_400_000;
const leadOf = (api: Api) => crm.addLead(api.caller.tenantId as number, { firstName: 'Ada' });
const tasksOf = (leadId: string) =>
  crm.calls.filter(({ path, body }) => path === '/v1/tasks' && body['leadId'] === leadId);
const call = (data: object = {}) =>
  aNode('call', { type: 'create_task', data: { title: 'Call {{ lead.firstName }}', dueInDays: 2, ...data } });

it('an assign node assigns the lead in crm, and the next nodes see the user', async () => {
  const api = service.as();
  const leadId = leadOf(api);
  const userId = codeOf(api, 'user', users.active);
  const assign = aNode('assign', { type: 'assign', data: { userId } });
  const { steps } = await ran(api, leadId, assign, call());
  expect(steps[1]).toMatchObject({ nodeId: 'assign', outcome: 'done', input: { userId } });
  const changes = crm.calls.filter(({ path }) => path === `/v1/leads/${leadId}`);
  expect(changes.map(({ body }) => body)).toEqual([{ assignedTo: users.active }]);
  expect(tasksOf(leadId)).toMatchObject([{ body: { assignedTo: users.active } }]);
});

it('a create_task node makes a task for its own user, due after its days, with the key of its step', async () => {
  const api = service.as();
  const leadId = leadOf(api);
  const before = Date.now();
  const execution = await ran(api, leadId, call({ assignedTo: codeOf(api, 'user', users.active), type: 'call' }));
  expect(tasksOf(leadId)).toEqual([
    {
      path: '/v1/tasks',
      idempotencyKey: expect.stringMatching(/^execution-\d+-\d+$/),
      body: {
        title: 'Call Ada',
        type: 'call',
        priority: 'normal',
        leadId,
        assignedTo: users.active,
        dueAt: expect.any(String),
        reminders: [],
      },
    },
  ]);
  const dueAt = new Date(tasksOf(leadId)[0]?.body['dueAt'] as string).getTime();
  expect(dueAt).toBeGreaterThanOrEqual(before + 2 * dayMs);
  expect(dueAt).toBeLessThanOrEqual(Date.now() + 2 * dayMs);
  expect(execution.steps[1]).toMatchObject({ outcome: 'done', result: { taskId: expect.any(String) } });
});

describe('a create_task node whose answer got lost', () => {
  /** An execution whose task was made, and whose next run is due. */
  async function interrupted(api: Api, leadId: string): Promise<string> {
    const id = await published(api, inARow(call()));
    crm.losesAnswers = true;
    const executionId = await enrolled(api, id, leadId);
    const { steps } = await inStatus(api, executionId, 'waiting');
    expect(steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'crm_unavailable' } });
    crm.losesAnswers = false;
    return executionId;
  }

  it('repeats the same call with the same key, and gets the task of the first one', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const executionId = await interrupted(api, leadId);
    await hurry(service, api, executionId);
    const { steps } = await inStatus(api, executionId, 'completed');
    const [first, second, ...others] = tasksOf(leadId);
    expect([second, others]).toEqual([first, []]);
    expect(steps[1]).toMatchObject({ outcome: 'done', result: { taskId: expect.any(String) } });
  });

  it('makes no second task when the lead has other values meanwhile', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const executionId = await interrupted(api, leadId);
    crm.changeLead(leadId, { firstName: 'Grace' });
    await hurry(service, api, executionId);
    const { steps } = await inStatus(api, executionId, 'completed');
    const [first, second] = tasksOf(leadId);
    expect(second?.body['title']).toBe('Call Grace');
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(steps[1]).toMatchObject({ outcome: 'done', result: {} });
  });
});

it('update_lead nodes of several workflows that add tags to the same lead lose none of them', async () => {
  const api = service.as();
  const leadId = crm.addLead(api.caller.tenantId as number, { tags: ['old'] });
  const names = ['a', 'b', 'c'];
  const add = (tag: string) => aNode('add', { type: 'update_lead', data: { addTags: [tag] } });
  const ids = await Promise.all(names.map((tag) => published(api, inARow(add(tag)))));
  const executions = await Promise.all(ids.map((id) => enrolled(api, id, leadId)));
  await Promise.all(executions.map((id) => inStatus(api, id, 'completed')));
  const changes = crm.calls.filter(({ path }) => path === `/v1/leads/${leadId}`);
  // Those that crm refused because the lead had changed are repeated.
  const tags = changes.at(-1)?.body['tags'] as string[] | undefined;
  expect(tags?.toSorted()).toEqual(['a', 'b', 'c', 'old']);
});

it('steps show texts about the lead only to callers who can read all leads', async () => {
  const api = service.as();
  const execution = await ran(api, leadOf(api), call());
  expect(execution.steps[1].input).toMatchObject({ title: 'Call Ada' });
  for (const permission of ['leads:read:own', 'tasks:read']) {
    const restricted = service.as({ ...api.caller, permissions: ['workflows:read', permission] });
    const { data } = await restricted.getWorkflowExecution({ params: { id: execution.id } });
    expect(data.steps[1]).toMatchObject({ nodeId: 'call', outcome: 'done', input: {}, result: {} });
  }
});
