import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, until, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';
import { knownPartnerId, partnerPeer } from '../../partner-peer.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let partners: Awaited<ReturnType<typeof partnerPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  partners = await partnerPeer();
  service = await startCrm({ IDENTITY_URL: identity.url, PARTNER_URL: partners.url });
});
afterAll(async () => {
  await service?.close();
  await partners?.close();
  await identity?.close();
});

type Api = ReturnType<typeof service.as>;

const createdEvent = (api: Api) =>
  until('the event arrives', () =>
    service.events.find(({ tenantId, name }) => tenantId === api.caller.tenantId && name === 'task.created'),
  );

async function aLeadAndOpportunity(api: Api) {
  const { data: lead } = await api.createLead({ body: aLead() });
  const { data: opportunity } = await api.convertLead({ body: { leadId: lead.id } });
  return { leadId: lead.id as string, opportunityId: opportunity.id as string };
}

describe('createTask', () => {
  it('requires only a title; the task is pending, normal, of type other and unassigned', async () => {
    const api = service.as();
    const reply = await api.createTask({ body: { title: 'Call Ada back' } });
    expect([reply.status, reply.body.message, reply.headers['etag']]).toEqual([
      201,
      'Task created',
      expect.stringMatching(/^"1-/),
    ]);
    expect(reply.data).toMatchObject({
      title: 'Call Ada back',
      type: 'other',
      priority: 'normal',
      status: 'pending',
      dueAt: null,
      overdue: false,
      description: null,
      leadId: null,
      opportunityId: null,
      assignedTo: null,
      createdBy: '1',
      version: 1,
      allowedTransitions: ['in_progress', 'completed', 'cancelled'],
      subtasks: [],
      reminders: [],
      recurrence: null,
    });
    expect((await api.getTask({ params: { id: reply.data.id } })).data).toEqual(reply.data);
    const event = await createdEvent(api);
    expect(event.data).toEqual({ taskId: reply.data.id, title: 'Call Ada back', assigneeId: null });
  });

  it('stores assignee and linked records, and emits task.created', async () => {
    const api = service.as();
    const links = await aLeadAndOpportunity(api);
    const body = {
      ...links,
      title: 'Demo',
      description: 'Bring the numbers',
      type: 'meeting',
      priority: 'urgent',
      dueAt: '2027-01-10T09:00:00.000Z',
      assignedTo: users.active,
    };
    const { data, status } = await api.createTask({ body });
    expect([status, data]).toEqual([201, expect.objectContaining(body)]);
    const event = await createdEvent(api);
    expect(event.data).toEqual({ taskId: data.id, title: 'Demo', assigneeId: users.active });
    const { subtasks, reminders, recurrence, nextTaskId, ...task } = data;
    expect(event.record).toEqual(task);
  });

  it('rejects unknown leads and opportunities with an error for each', async () => {
    const api = service.as();
    const foreign = await aLeadAndOpportunity(service.as());
    const reply = await api.createTask({ body: { title: 'Demo', ...foreign } });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [
        { field: 'leadId', message: 'No lead with this id' },
        { field: 'opportunityId', message: 'No opportunity with this id' },
      ],
    ]);
    const { leadId } = await aLeadAndOpportunity(api);
    await api.deleteLead({ params: { id: leadId } });
    const deleted = await api.createTask({ body: { title: 'Demo', leadId } });
    expect([deleted.status, deleted.body.errors?.[0]?.field]).toEqual([422, 'leadId']);
    expect((await api.listTasks()).body.pagination?.total).toBe(0);
  });

  it.each([
    ['no title', { title: undefined }, 'title'],
    ['a blank title', { title: ' ' }, 'title'],
    ['another type', { type: 'fax' }, 'type'],
    ['another priority', { priority: 'asap' }, 'priority'],
    ['a date without a time', { dueAt: '2027-01-10' }, 'dueAt'],
    ['an unknown assignee', { assignedTo: users.nobody }, 'assignedTo'],
    ['an unknown partner', { partnerId: '32' }, 'partnerId'],
    ['an inactive assignee', { assignedTo: users.suspended }, 'assignedTo'],
  ])('rejects %s', async (_, wrong, field) => {
    const reply = await service.as().createTask({ body: { title: 'Demo', ...wrong } });
    expect([reply.status, reply.body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('links a lead or an opportunity only if the caller may read it', async () => {
    const api = service.as();
    const links = await aLeadAndOpportunity(api);
    const answer = async (...can: string[]) => {
      const caller = service.as({ tenantId: api.caller.tenantId as number, userId: 8, can: ['tasks:write', ...can] });
      const { status, body } = await caller.createTask({ body: { title: 'Peek', ...links } });
      return [status, body.errors?.map(({ field }) => field)];
    };
    const fields = ['leadId', 'opportunityId'];
    expect(await answer()).toEqual([403, fields]);
    expect(await answer('leads:read')).toEqual([403, ['opportunityId']]);
    expect(await answer('leads:read:own', 'opportunities:read:own')).toEqual([422, fields]);
    expect(await answer('leads:read', 'opportunities:read:own')).toEqual([422, ['opportunityId']]);
    expect(await answer('leads:read', 'opportunities:read')).toEqual([201, undefined]);
  });

  it('is about a partner, which an update changes and the list filters by', async () => {
    const api = service.as();
    const { data: task } = await api.createTask({ body: { title: 'Call', partnerId: knownPartnerId } });
    const params = { id: task.id };
    const listed = async () => (await api.listTasks({ query: { partnerId: knownPartnerId } })).data.length;
    expect([task.partnerId, await listed()]).toEqual([knownPartnerId, 1]);
    const wrong = await api.updateTask({ params, body: { partnerId: '32' } });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'partnerId']);
    const { data: cleared } = await api.updateTask({ params, body: { partnerId: null } });
    expect([cleared.partnerId, await listed()]).toEqual([null, 0]);
    const can = ['tasks:write', 'tasks:read'];
    const caller = service.as({ tenantId: api.caller.tenantId as number, can });
    expect((await caller.updateTask({ params, body: { partnerId: knownPartnerId } })).status).toBe(403);
  });

  it('ignores a status in the body', async () => {
    const { data } = await service.as().createTask({ body: { title: 'Demo', status: 'completed', id: '7' } });
    expect(data.status).toBe('pending');
  });
});

describe('listTasks', () => {
  let api: Api;
  let links: { leadId: string; opportunityId: string };
  beforeAll(async () => {
    api = service.as({ userId: Number(users.active) });
    links = await aLeadAndOpportunity(api);
    for (const body of [
      { title: 'Late call', type: 'call', dueAt: '2020-01-01T00:00:00Z', priority: 'high', leadId: links.leadId },
      { title: 'Mine', assignedTo: users.active, dueAt: '2999-01-01T00:00:00Z', opportunityId: links.opportunityId },
      { title: 'Undated' },
      { title: 'Done', dueAt: '2020-02-01T00:00:00Z' },
    ])
      expect((await api.createTask({ body })).status).toBe(201);
    await service.sql(`SET app.tenant_id = '${api.caller.tenantId}'; SET app.environment = 'live';
      UPDATE task SET status = 'completed' WHERE title = 'Done'`);
  });

  const titles = async (query: Record<string, string> = {}, as = api) =>
    (await as.listTasks({ query })).data.map(({ title }: { title: string }) => title);

  it.each([
    [{}, ['Done', 'Undated', 'Mine', 'Late call']],
    [{ status: 'completed' }, ['Done']],
    [{ type: 'call' }, ['Late call']],
    [{ priority: 'high' }, ['Late call']],
    [{ assignedTo: users.active }, ['Mine']],
    [{ mine: 'true' }, ['Mine']],
    [{ overdue: 'true' }, ['Late call']],
    [{ overdue: 'false' }, ['Done', 'Undated', 'Mine']],
    [{ dueFrom: '2020-01-15T00:00:00Z', dueTo: '2020-03-01T00:00:00Z' }, ['Done']],
    [{ sort: 'dueAt' }, ['Late call', 'Done', 'Mine', 'Undated']],
    [{ search: 'DAT' }, ['Undated']],
  ])('filters by %j', async (query, expected) => {
    expect(await titles(query as Record<string, string>)).toEqual(expected);
  });

  it('filters by lead and by opportunity, and marks late tasks as overdue', async () => {
    expect(await titles({ opportunityId: links.opportunityId })).toEqual(['Mine']);
    const { data } = await api.listTasks({ query: { leadId: links.leadId } });
    expect(data).toEqual([expect.objectContaining({ title: 'Late call', overdue: true })]);
  });

  it('returns only own and assigned tasks to a narrowed caller, and none to another tenant', async () => {
    const tenantId = api.caller.tenantId as number;
    const narrow = service.as({ tenantId, userId: 8, can: ['tasks:read:own', 'tasks:write:own'] }) as Api;
    expect(await titles({}, narrow)).toEqual([]);
    const { data } = await narrow.createTask({ body: { title: 'Own' } });
    expect(await titles({}, narrow)).toEqual(['Own']);
    expect((await narrow.createTask({ body: { title: 'Peek', leadId: links.leadId } })).status).toBe(403);
    expect((await service.as().getTask({ params: { id: data.id } })).status).toBe(404);
    expect(await titles({}, service.as())).toEqual([]);
  });
});
