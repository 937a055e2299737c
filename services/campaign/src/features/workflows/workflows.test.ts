import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, aWorkflow, startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

const create = (fields: Record<string, unknown> = {}) => service.as().createWorkflow({ body: aWorkflow(fields) });
const errorsOf = async (fields: Record<string, unknown>) => {
  const { status, body } = await create(fields);
  expect(status).toBe(422);
  return body.errors?.map(({ field }) => field);
};

describe('createWorkflow', () => {
  it('returns 201 with a draft that contains the sent nodes and edges', async () => {
    const api = service.as();
    const body = aWorkflow({ description: 'For new ones' });
    const reply = await api.createWorkflow({ body });
    expect([reply.status, reply.body.message]).toEqual([201, 'Workflow created']);
    expect(reply.data).toMatchObject({ ...body, status: 'draft', campaignId: null, version: 1 });
    expect(reply.data.allowedTransitions).toEqual(['published', 'archived']);
    expect((await api.getWorkflow({ params: { id: reply.data.id } })).data).toEqual(reply.data);
  });

  it('stores node data and the branch of an edge', async () => {
    const data = { label: 'Split', variants: [{ key: 'a', weight: 50.5 }], leadId: '17' };
    const nodes = [aNode('a', { type: 'split', data, position: { x: -10.5, y: 3 } }), aNode('b')];
    const edges = [{ edgeId: 'e', source: 'a', target: 'b', branch: 'variant' }];
    expect((await create({ nodes, edges })).data).toMatchObject({ nodes, edges });
  });

  // The names differ by one character, so that one of the responses is split within a surrogate pair.
  it.each(['even', 'uneven1'])('returns the large workflow %s unchanged', async (name) => {
    const nodes = Array.from({ length: 40 }, (_, n) => aNode(`n${n}`, { data: { text: '😀'.repeat(3_900) } }));
    const api = service.as();
    const { id } = (await api.createWorkflow({ body: aWorkflow({ name, nodes, edges: [] }) })).data;
    expect((await api.getWorkflow({ params: { id } })).data.nodes).toEqual(nodes);
  });

  it('accepts nodes without editor fields', async () => {
    const nodes = [{ nodeId: 'a', type: 'trigger' }];
    expect((await create({ nodes, edges: [] })).data).toMatchObject({ nodes, edges: [] });
  });

  it.each(
    'trigger email wait condition sms split wait_for_event update_lead create_task assign notify webhook enroll goal exit'.split(
      ' ',
    ),
  )('accepts a node of type %s', async (type) => {
    expect((await create({ nodes: [aNode('a', { type })], edges: [] })).status).toBe(201);
  });

  it('links a campaign of the tenant', async () => {
    const api = service.as();
    const campaignId = (await api.createCampaign({ body: { name: 'Mine' } })).data.id;
    const { data } = await api.createWorkflow({ body: aWorkflow({ campaignId }) });
    await api.createWorkflow({ body: aWorkflow() });
    expect(data.campaignId).toBe(campaignId);
    expect((await api.listWorkflows({ query: { campaignId } })).data).toMatchObject([{ id: data.id }]);
    expect(await errorsOf({ campaignId })).toEqual(['campaignId']);
  });

  const edge = (edgeId: string, source = 'a', target = 'b') => ({ edgeId, source, target });
  it.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', { nodes: undefined, edges: undefined, name: undefined }, ['name', 'nodes', 'edges']],
    ['a duplicate nodeId', { nodes: [aNode('a'), aNode('b'), aNode('a')], edges: [] }, ['nodes.2.nodeId']],
    ['a duplicate edgeId', { nodes: [aNode('a'), aNode('b')], edges: [edge('e'), edge('e')] }, ['edges.1.edgeId']],
    ['an edge to a missing node', { nodes: [aNode('a')], edges: [edge('e')] }, ['edges.0.target']],
    ['an edge from a missing node', { nodes: [aNode('b')], edges: [edge('e')] }, ['edges.0.source']],
    ['an unknown type', { nodes: [aNode('a', { type: 'fax' })], edges: [] }, ['nodes.0.type']],
    [
      'a node with an incomplete position',
      { nodes: [aNode('a', { position: { x: 1 } })], edges: [] },
      ['nodes.0.position.y'],
    ],
    ['too much data', { nodes: [aNode('a', { data: { a: 'x'.repeat(17_000) } })], edges: [] }, ['nodes.0.data']],
    ['too many nodes', { nodes: Array.from({ length: 201 }, (_, n) => aNode(`n${n}`)), edges: [] }, ['nodes']],
    [
      'too many edges',
      { nodes: [aNode('a'), aNode('b')], edges: Array.from({ length: 401 }, (_, n) => edge(`e${n}`)) },
      ['edges'],
    ],
  ])('rejects %s', async (_, fields, expected) => {
    expect(await errorsOf(fields)).toEqual(expected);
  });

  it('emits workflow.created', async () => {
    const api = service.as();
    const { data } = await api.createWorkflow({ body: aWorkflow() });
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'workflow.created' && one.tenantId === api.caller.tenantId),
    );
    expect(event).toMatchObject({ data: { workflowId: data.id, campaignId: null, name: 'Welcome' } });
  });
});

describe('listWorkflows', () => {
  it('returns workflows without nodes, filtered by name and status', async () => {
    const api = service.as();
    for (const name of ['First', 'Second']) await api.createWorkflow({ body: aWorkflow({ name }) });
    const { data, body } = await api.listWorkflows({ query: { status: 'draft', limit: '1' } });
    expect([data[0].name, data[0].nodes, body.pagination?.total]).toEqual(['Second', undefined, 2]);
    const cursor = body.pagination?.nextCursor as string;
    expect((await api.listWorkflows({ query: { status: 'draft', limit: '1', cursor } })).data).toMatchObject([
      { name: 'First' },
    ]);
    expect((await api.listWorkflows({ query: { search: 'sec' } })).data).toHaveLength(1);
    expect((await api.listWorkflows({ query: { status: 'published' } })).data).toEqual([]);
    expect((await service.as().listWorkflows()).data).toEqual([]);
  });
});

describe('getWorkflow', () => {
  it("returns 404 for another tenant's workflow", async () => {
    const { data } = await create();
    expect((await service.as().getWorkflow({ params: { id: data.id } })).status).toBe(404);
  });
});
