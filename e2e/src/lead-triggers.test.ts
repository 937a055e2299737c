import { aTenant, startFleet, type TestFleet, type TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

// Workflows that start by what happens to leads in crm, through the gateway.

let fleet: TestFleet;
let tenant: TestTenant;
let api: TestTenant['api'];
beforeAll(async () => {
  fleet = await startFleet({ services: ['campaign', 'crm', 'identity'] });
  tenant = await aTenant(fleet);
  api = tenant.api;
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

type Data = Record<string, unknown>;

/** Publishes a workflow with this trigger, whose other nodes follow one another, and returns its id. */
async function published(trigger: Data, nodes: { type: 'update_lead'; data: Data }[] = []): Promise<string> {
  const all = [{ type: 'trigger' as const, data: trigger }, ...nodes].map((node, at) => ({
    nodeId: `node-${at}`,
    position: { x: 0, y: at },
    ...node,
  }));
  const edges = nodes.map((_, at) => ({ edgeId: `edge-${at}`, source: `node-${at}`, target: `node-${at + 1}` }));
  const { data } = await api.createWorkflow({
    body: { name: 'Test', nodes: all, edges, settings: { reentry: 'always' } },
  });
  await api.publishWorkflow({ params: { id: data.id }, body: {} });
  return data.id;
}

const change = (data: Data) => ({ type: 'update_lead' as const, data });

let leads = 0;

async function aLead(fields: Data = {}): Promise<string> {
  const email = `lead-${++leads}-${tenant.id.toLowerCase()}@example.com`;
  return (await api.createLead({ body: { email, firstName: 'Ada', lastName: 'Lovelace', ...fields } })).data.id;
}

const update = (id: string, body: Data) => api.updateLead({ params: { id }, body });

async function executionsOf(id: string, leadId: string) {
  return (await api.listWorkflowExecutions({ params: { id }, query: { leadId } })).data;
}

const ended = (id: string, leadId: string) =>
  until('the lead has gone through the workflow', async () => {
    const found = await executionsOf(id, leadId);
    return found.length > 0 && found.every(({ status }) => status === 'completed') && found;
  });

/** Waits until all earlier changes of a lead had their effect: events of crm arrive in their order. */
async function settled(leadId: string): Promise<void> {
  const id = await published({ triggerType: 'lead_updated', fields: ['lastName'] });
  await update(leadId, { lastName: `Settled ${id}` });
  await ended(id, leadId);
}

describe('a workflow starts when', () => {
  const cases: [string, Data, (leadId: string) => Promise<unknown>][] = [
    [
      'a listed field changes',
      { triggerType: 'lead_updated', fields: ['phone'] },
      (id) => update(id, { phone: '+4930123456' }),
    ],
    [
      'a listed custom field changes',
      { triggerType: 'lead_updated', fields: ['customFields.region'] },
      (id) => update(id, { customFields: { region: 'north' } }),
    ],
    ['a tag is added', { triggerType: 'tag_added', tag: 'fair' }, (id) => update(id, { tags: ['first', 'fair'] })],
    [
      'the score passes the threshold',
      { triggerType: 'score_threshold', minScore: 60 },
      (id) => api.setLeadScore({ params: { id }, body: { score: 60 } }),
    ],
    [
      'the status becomes the named one',
      { triggerType: 'lead_status_changed', status: 'contacted' },
      (id) => api.changeLeadStatus({ params: { id }, body: { status: 'contacted' } }),
    ],
    [
      'the lead is assigned',
      { triggerType: 'lead_assigned' },
      async (id) => api.assignLead({ params: { id }, body: { assignedTo: (await tenant.owner.getMe()).data.user.id } }),
    ],
    ['the lead is converted', { triggerType: 'lead_converted' }, (leadId) => api.convertLead({ body: { leadId } })],
  ];

  it.each(cases)('%s, once, and not before', async (_, trigger, cause) => {
    const id = await published(trigger);
    const leadId = await aLead({ tags: ['first'] });
    await update(leadId, { firstName: 'Grace' });
    await settled(leadId);
    expect(await executionsOf(id, leadId)).toEqual([]);
    await cause(leadId);
    await ended(id, leadId);
    await settled(leadId);
    expect(await executionsOf(id, leadId)).toMatchObject([{ source: 'event', status: 'completed' }]);
  });

  it('a lead is created that meets its conditions', async () => {
    const conditions = [{ field: 'firstName', operator: 'equals', value: 'Grace' }];
    const id = await published({ triggerType: 'lead_created', conditions });
    const [meets, other] = [await aLead({ firstName: 'Grace' }), await aLead()];
    await ended(id, meets);
    await settled(other);
    expect(await executionsOf(id, other)).toEqual([]);
  });
});

describe('a workflow that changes its own lead', () => {
  it('does not start itself again', async () => {
    const loop = await published({ triggerType: 'lead_updated', fields: ['tags'] }, [
      change({ addTags: ['seen'] }),
      change({ removeTags: ['seen'] }),
    ]);
    const leadId = await aLead();
    await update(leadId, { tags: ['new'] });
    await ended(loop, leadId);
    await settled(leadId);
    expect(await executionsOf(loop, leadId)).toHaveLength(1);
    await update(leadId, { tags: ['newer'] });
    await settled(leadId);
    await ended(loop, leadId);
    expect(await executionsOf(loop, leadId)).toHaveLength(2);
    await api.archiveWorkflow({ params: { id: loop } });
  });

  it('starts another one, which does not start the first again', async () => {
    const ping = await published({ triggerType: 'tag_added', tag: 'ping' }, [
      change({ addTags: ['pong'], removeTags: ['ping'] }),
    ]);
    const pong = await published({ triggerType: 'tag_added', tag: 'pong' }, [
      change({ addTags: ['ping'], removeTags: ['pong'] }),
    ]);
    const leadId = await aLead({ tags: ['ping'] });
    await ended(ping, leadId);
    await ended(pong, leadId);
    await settled(leadId);
    expect([await executionsOf(ping, leadId), await executionsOf(pong, leadId)]).toMatchObject([[{}], [{}]]);
    expect((await api.getLead({ params: { id: leadId } })).data.tags).toEqual(['ping']);
  });

  it('leads to four others at most', async () => {
    const chain: string[] = [];
    for (const at of [1, 2, 3, 4, 5, 6])
      chain.push(
        await published({ triggerType: 'tag_added', tag: `chain-${at}` }, [change({ addTags: [`chain-${at + 1}`] })]),
      );
    const leadId = await aLead({ tags: ['chain-1'] });
    await ended(chain[4] as string, leadId);
    await settled(leadId);
    const entered = await Promise.all(chain.map(async (id) => (await executionsOf(id, leadId)).length));
    expect(entered).toEqual([1, 1, 1, 1, 1, 0]);
  });
});
