import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, aPage, startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const variants = [
  { key: 'a', weight: 50 },
  { key: 'b', weight: 50, override: { subjectLine: 'Other' } },
];
const aTestBody = (fields: Fields = {}) => ({
  name: 'Subject',
  target: 'subject',
  metric: 'open',
  variants,
  ...fields,
});

async function aWorkflowOf(api: Api, campaignId: string, nodeIds: readonly string[] = ['mail']) {
  const start = aNode('start', { type: 'trigger', data: { triggerType: 'manual' } });
  const mails = nodeIds.map((nodeId) => aNode(nodeId, { data: { subjectLine: `Hello from ${nodeId}` } }));
  const nodes = [start, ...mails];
  const edges = mails.map(({ nodeId }, index) => ({
    edgeId: `e${index}`,
    source: nodes[index]?.nodeId as string,
    target: nodeId,
  }));
  const { data } = await api.createWorkflow({ body: { name: 'Welcome', campaignId, nodes, edges } });
  expect((await api.publishWorkflow({ params: { id: data.id }, body: {} })).status).toBe(200);
  return data.id as string;
}

const aCampaign = async (api: Api) => (await api.createCampaign({ body: { name: 'Spring' } })).data.id as string;

async function aTest(api: Api, id: string, fields: Fields = {}) {
  const reply = await api.createAbTest({ params: { id }, body: aTestBody(fields) });
  expect([reply.status, reply.body.errors]).toEqual([201, undefined]);
  return { id, testId: reply.data.id as string };
}

const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
  status,
  body.errors?.map(({ field }) => field),
];

describe('the life of a test', () => {
  it('goes from draft to running to completed, with the only e-mail node of the campaign chosen at the start', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    const workflowId = await aWorkflowOf(api, id);
    const params = await aTest(api, id);
    const { data: draft } = await api.getAbTest({ params });
    expect(draft).toMatchObject({
      campaignId: id,
      status: 'draft',
      allowedTransitions: ['running'],
      workflowId: null,
      nodeId: null,
      variants,
      samplePercent: 100,
      minSample: 100,
      durationHours: 72,
      confidence: 0.95,
      autoPromote: false,
      winnerKey: null,
      version: 1,
    });
    const early = await api.declareAbTestWinner({ params, body: { variantKey: 'a' } });
    expect([early.status, early.body.code]).toEqual([409, 'transition_refused']);
    expect((await api.stopAbTest({ params })).status).toBe(409);
    const { data: started } = await api.startAbTest({ params });
    expect(started).toMatchObject({
      status: 'running',
      allowedTransitions: ['completed', 'cancelled'],
      workflowId,
      nodeId: 'mail',
    });
    expect(new Date(started.endsAt).getTime() - new Date(started.startedAt).getTime()).toBe(72 * 3_600_000);
    expect((await api.startAbTest({ params })).status).toBe(409);
    const edit = await api.updateAbTest({ params, body: { name: 'New' } });
    expect([edit.status, edit.body.code]).toEqual([409, 'ab_test_started']);
    const removal = await api.deleteAbTest({ params });
    expect([removal.status, removal.body.code]).toEqual([409, 'ab_test_running']);
    expect(fieldsOf(await api.declareAbTestWinner({ params, body: { variantKey: 'z' } }))).toEqual([
      422,
      ['variantKey'],
    ]);
    const { data: completed } = await api.declareAbTestWinner({ params, body: { variantKey: 'b' } });
    expect(completed).toMatchObject({
      status: 'completed',
      allowedTransitions: [],
      winnerKey: 'b',
      decidedBy: 'user',
      inconclusive: false,
      version: 3,
    });
    for (const change of [api.startAbTest, api.stopAbTest]) expect((await change({ params })).status).toBe(409);
    const names = () =>
      service.events
        .filter(({ name, tenantId }) => tenantId === api.caller.tenantId && name.startsWith('ab_test.'))
        .map(({ name }) => name);
    await until('the events arrive', () => names().length === 3);
    expect(names()).toEqual(['ab_test.created', 'ab_test.started', 'ab_test.completed']);
    const told = service.events.find(
      ({ name, tenantId }) => tenantId === api.caller.tenantId && name.endsWith('completed'),
    );
    expect(told?.data).toMatchObject({
      abTestId: params.testId,
      winnerKey: 'b',
      decidedBy: 'user',
      inconclusive: false,
    });
    expect((await api.deleteAbTest({ params })).data).toEqual({ id: params.testId, deleted: true });
    expect((await api.getAbTest({ params })).status).toBe(404);
  });

  it('ends without a winner when it is stopped', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    await aWorkflowOf(api, id);
    const params = await aTest(api, id);
    await api.startAbTest({ params });
    expect((await api.stopAbTest({ params })).data).toMatchObject({ status: 'cancelled', winnerKey: null });
    expect((await api.stopAbTest({ params })).status).toBe(409);
    expect((await api.listAbTests({ params: { id }, query: { status: 'cancelled' } })).data).toHaveLength(1);
    expect((await api.listAbTests({ params: { id }, query: { status: 'running' } })).data).toEqual([]);
  });

  it('starts once: of two starts of a test, and of two tests of a node, one wins', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    await aWorkflowOf(api, id);
    const [one, other] = [await aTest(api, id), await aTest(api, id)];
    const replies = await Promise.all([one, other, one, other].map((params) => api.startAbTest({ params })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await api.listAbTests({ params: { id }, query: { status: 'running' } })).data).toHaveLength(1);
    const codes = replies.flatMap(({ body }) => body.code ?? []);
    expect(new Set(codes)).toEqual(new Set(['target_in_test', 'transition_refused']));
  });

  it('honours If-Match in every change', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    await aWorkflowOf(api, id);
    const params = await aTest(api, id);
    const headers = { 'if-match': '"9"' };
    const replies = [
      await api.updateAbTest({ params, headers, body: { name: 'New' } }),
      await api.deleteAbTest({ params, headers }),
      await api.startAbTest({ params, headers }),
      await api.stopAbTest({ params, headers }),
      await api.declareAbTestWinner({ params, headers, body: { variantKey: 'a' } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([412, 412, 412, 412, 412]);
  });

  it('protects the workflow and the page of a running test', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    const workflowId = await aWorkflowOf(api, id);
    const { data: page } = await api.createLandingPage({ body: aPage({ campaignId: id, content: '<h1>Hi</h1>' }) });
    await api.publishLandingPage({ params: { id: page.id } });
    const params = await aTest(api, id);
    const ofPage = await aTest(api, id, {
      target: 'landing_page',
      metric: 'conversion',
      landingPageId: page.id,
      variants: [
        { key: 'a', weight: 50 },
        { key: 'b', weight: 50, override: { landingPageVersion: 1 } },
      ],
    });
    for (const one of [params, ofPage]) expect((await api.startAbTest({ params: one })).status).toBe(200);
    const refused = [
      await api.deleteWorkflow({ params: { id: workflowId } }),
      await api.deleteLandingPage({ params: { id: page.id } }),
      await api.deleteCampaign({ params: { id } }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(['workflow_in_test', 'page_in_test', 'campaign_in_test']);
    for (const one of [params, ofPage]) await api.stopAbTest({ params: one });
    expect((await api.deleteWorkflow({ params: { id: workflowId } })).status).toBe(200);
    expect((await api.deleteLandingPage({ params: { id: page.id } })).status).toBe(200);
    expect((await api.deleteCampaign({ params: { id } })).status).toBe(200);
    await until('the deletion of both tests is announced', () => {
      const { tenantId } = api.caller;
      return service.events.filter((one) => one.name === 'ab_test.deleted' && one.tenantId === tenantId).length === 2;
    });
  });
});

describe('the start', () => {
  it('needs one published e-mail node', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    const params = await aTest(api, id);
    expect(fieldsOf(await api.startAbTest({ params }))).toEqual([422, ['workflowId']]);
    const workflowId = await aWorkflowOf(api, id, ['one', 'two']);
    expect(fieldsOf(await api.startAbTest({ params }))).toEqual([422, ['nodeId']]);
    expect((await api.updateAbTest({ params, body: { workflowId, nodeId: 'two' } })).status).toBe(200);
    expect((await api.startAbTest({ params })).data).toMatchObject({ workflowId, nodeId: 'two' });
  });

  it('needs active templates and published pages', async () => {
    const api = service.as();
    const id = await aCampaign(api);
    await aWorkflowOf(api, id);
    const { data: template } = await api.createTemplate({
      body: { name: 'Offer', channel: 'email', subject: 'Offer', text: 'Offer' },
    });
    const params = await aTest(api, id, {
      target: 'template',
      variants: [
        { key: 'a', weight: 50 },
        { key: 'b', weight: 50, templateId: template.id },
      ],
    });
    expect(fieldsOf(await api.startAbTest({ params }))).toEqual([422, ['variants.1.templateId']]);
    await api.activateTemplate({ params: { id: template.id } });
    expect((await api.startAbTest({ params })).status).toBe(200);
  });
});

describe('the definition', () => {
  const two = (fields: Fields, others: Fields = {}) => [
    { key: 'a', weight: 50, ...others },
    { key: 'b', weight: 50, ...fields },
  ];

  it.each<[string, Fields, string[]]>([
    ['one variant', { variants: [{ key: 'a', weight: 100 }] }, ['variants']],
    ['six variants', { variants: 'abcdef'.split('').map((key) => ({ key, weight: 100 / 6 })) }, ['variants']],
    ['weights that are not 100', { variants: [variants[0], { ...variants[1], weight: 49 }] }, ['variants']],
    ['a key twice', { variants: [variants[0], { ...variants[1], key: 'a' }] }, ['variants.1.key']],
    ['a key for no cookie', { variants: [variants[0], { ...variants[1], key: 'a b' }] }, ['variants.1.key']],
    ['two originals', { variants: two({}) }, ['variants']],
    [
      'an override without a field',
      { target: 'template', variants: two({ override: { templateId: '1' } }) },
      ['variants.1.override'],
    ],
    ['a change of another target', { variants: two({ override: { at: '09:30' } }) }, ['variants.1.override.at']],
    [
      'a broken placeholder',
      { variants: two({ override: { subjectLine: '{{ lead' } }) },
      ['variants.1.override.subjectLine'],
    ],
    ['a wrong time', { target: 'send_time', variants: two({ override: { at: '25:00' } }) }, ['variants.1.override.at']],
    ['an unknown template', { target: 'template', variants: two({ templateId: '999999' }) }, ['variants.1.templateId']],
    ['an unknown workflow', { workflowId: '999999', nodeId: 'mail' }, ['workflowId']],
    ['a node without its workflow', { nodeId: 'mail' }, ['workflowId']],
    ['a page of an e-mail test', { landingPageId: '1' }, ['landingPageId']],
    [
      'a page test without a page, by opens',
      { target: 'landing_page', variants: two({ override: { landingPageVersion: 2 } }) },
      ['landingPageId', 'metric'],
    ],
    [
      'an unknown page',
      {
        target: 'landing_page',
        metric: 'conversion',
        landingPageId: '999999',
        variants: two({ override: { landingPageVersion: 2 } }),
      },
      ['landingPageId', 'variants.1.override.landingPageVersion'],
    ],
    [
      'bounds',
      { samplePercent: 0, minSample: 0, durationHours: 0, confidence: 1 },
      ['confidence', 'durationHours', 'minSample', 'samplePercent'],
    ],
  ])('rejects %s, and stores nothing', async (_, fields, errors) => {
    const api = service.as();
    const id = await aCampaign(api);
    const reply = await api.createAbTest({ params: { id }, body: aTestBody(fields) });
    expect([reply.status, reply.body.errors?.map(({ field }) => field).sort()]).toEqual([422, errors]);
    for (const { message } of reply.body.errors ?? []) expect(message).not.toBe('');
    expect((await api.listAbTests({ params: { id } })).data).toEqual([]);
  });

  it('rejects workflows, nodes and pages of other campaigns, and keeps the draft when an edit is rejected', async () => {
    const api = service.as();
    const [id, other] = [await aCampaign(api), await aCampaign(api)];
    const workflowId = await aWorkflowOf(api, other);
    const own = await aWorkflowOf(api, id);
    const { data: page } = await api.createLandingPage({ body: aPage({ campaignId: other }) });
    const params = await aTest(api, id);
    const edits: [Fields, string][] = [
      [{ workflowId, nodeId: 'mail' }, 'workflowId'],
      [{ workflowId: own, nodeId: 'start' }, 'nodeId'],
      [{ variants: [{ key: 'a', weight: 1 }, variants[1]] }, 'variants'],
    ];
    for (const [body, field] of edits)
      expect(fieldsOf(await api.updateAbTest({ params, body }))).toEqual([422, [field]]);
    const ofPage = {
      target: 'landing_page',
      metric: 'conversion',
      landingPageId: page.id,
      variants: two({ override: { landingPageId: page.id } }),
    };
    expect(fieldsOf(await api.updateAbTest({ params, body: ofPage }))).toEqual([
      422,
      ['landingPageId', 'variants.1.override.landingPageId'],
    ]);
    expect((await api.getAbTest({ params })).data).toMatchObject({ version: 1, target: 'subject', variants });
  });

  it('is found under its own campaign and tenant only', async () => {
    const api = service.as();
    const [id, other] = [await aCampaign(api), await aCampaign(api)];
    const params = await aTest(api, id);
    const foreign = service.as();
    for (const [as, at] of [
      [api, { id: other, testId: params.testId }],
      [foreign, params],
    ] as const)
      for (const read of [as.getAbTest, as.getAbTestResults, as.startAbTest, as.deleteAbTest])
        expect((await read({ params: at })).status).toBe(404);
    expect((await foreign.listAbTests({ params: { id } })).status).toBe(404);
    expect((await foreign.createAbTest({ params: { id }, body: aTestBody() })).status).toBe(404);
    const owner = service.as({ tenantId: api.caller.tenantId as number, userId: 2, can: ['campaigns:read:own'] });
    expect((await owner.getAbTest({ params })).status).toBe(404);
  });
});
