import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  email,
  enrolled,
  hurry,
  inARow,
  inStatus,
  published,
  startEngine,
  tenantOf,
  wait,
} from '../../engine.test-service.ts';

let engine: Engine;
let { crm, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, service } = engine);
});
afterAll(() => engine?.close());

type Node = ReturnType<typeof aNode>;

const task = aNode('task', { type: 'create_task', data: { title: 'Call' } });
const awaited = (data: object) => aNode('hold', { type: 'wait_for_event', data: { event: 'email_reply', ...data } });

/** Nodes in a row, the last of which leads back to one of them. */
function aCycle(back: string, ...nodes: Node[]) {
  const row = inARow(...nodes);
  const source = nodes.at(-1)?.nodeId as string;
  return { ...row, edges: [...row.edges, { edgeId: 'back', source, target: back }] };
}

async function errorsOf(api: Api, graph: object) {
  const { data } = await api.createWorkflow({ body: { name: 'Test', ...graph } });
  const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
  return [reply.status, reply.body.errors?.map(({ field }) => field)];
}

/** Publishes a graph, and replaces its version by one that the publication refuses now. */
async function publishedAs(api: Api, graph: object, refused: { nodes: Node[]; edges: object[] }): Promise<string> {
  const id = await published(api, graph);
  await service.sqlWithin(
    api.caller,
    'UPDATE workflow_version SET nodes = $2::jsonb, edges = $3::jsonb WHERE workflow_id = $1',
    [id, JSON.stringify(refused.nodes), JSON.stringify(refused.edges)],
  );
  return id;
}

describe('a cycle', () => {
  it.each<[string, Node, string | undefined]>([
    ['a wait of no time', wait('hold', { duration: 0, durationUnit: 'minutes' }), 'nodes.hold.duration'],
    ['a wait of half a minute', wait('hold', { duration: 0.5, durationUnit: 'minutes' }), 'nodes.hold.duration'],
    ['a wait of no time in working hours', wait('hold', { duration: 0, workingHours: true }), 'nodes.hold.duration'],
    ['a wait for an event of no time', awaited({ duration: 0 }), 'nodes.hold.duration'],
    ['a wait of a minute', wait('hold', { duration: 1, durationUnit: 'minutes' }), undefined],
    ['a wait for a time of the day', wait('hold', { at: '09:00' }), undefined],
    ['a wait for an event', awaited({}), undefined],
  ])('with %s is published only if that holds the lead', async (_, node, field) => {
    const cycle = aCycle('task', task, node);
    expect(await errorsOf(service.as(), cycle)).toEqual(field ? [422, [field]] : [200, undefined]);
  });

  it('without a wait is refused; a wait of no time outside of a cycle is not', async () => {
    const api = service.as();
    expect(await errorsOf(api, aCycle('task', task, email('one')))).toEqual([422, ['nodes.task']]);
    expect(await errorsOf(api, inARow(task, wait('pause', { duration: 0 })))).toEqual([200, undefined]);
  });

  it('that was published with a wait of no time holds the lead for a minute in each round', async () => {
    const api = service.as();
    const cycle = (duration: number) =>
      aCycle('task', task, wait('pause', { duration, durationUnit: 'minutes' }), email('one'));
    const id = await publishedAs(api, cycle(1), cycle(0));
    const executionId = await enrolled(api, id, crm.addLead(tenantOf(api)));
    for (const round of [2, 3]) {
      const { dueAt } = await until(`round ${round} waits`, async () => {
        const execution = await inStatus(api, executionId, 'waiting');
        return execution.steps.length === 3 * round && execution;
      });
      expect(new Date(dueAt).getTime() - Date.now()).toBeGreaterThan(30_000);
      await hurry(service, api, executionId);
    }
  });
});

it('an execution that walks without end fails alone, and the others of its batch continue', async () => {
  const api = service.as();
  const asked = aNode('asked', {
    type: 'condition',
    data: { conditionField: 'score', conditionOperator: 'at_least', conditionValue: 50 },
  });
  const goal = aNode('goal', { type: 'goal', data: { event: 'email_reply' } });
  const { nodes, edges } = inARow(asked, goal);
  const named = edges.map((edge) => (edge.target === 'goal' ? { ...edge, branch: 'yes' } : edge));
  const endless = { nodes, edges: [...named, { edgeId: 'back', source: 'goal', target: 'asked' }] };
  const id = await publishedAs(api, { nodes, edges: named }, endless);
  const leadIds = [80, 10].map((score) => crm.addLead(tenantOf(api), { score }));
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds } });
  const [one, other] = data.results.map(({ executionId }: { executionId: string }) => executionId);
  await inStatus(api, other, 'completed');
  expect(await inStatus(api, one, 'failed')).toMatchObject({
    endReason: 'failed',
    error: 'The lead passed 250 nodes without a wait',
    dueAt: null,
  });
});
