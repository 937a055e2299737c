import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { later, readyCampaign, recipients, tenantOf } from '../../campaign-life.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, inARow } from '../../engine.test-service.ts';

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

const ready = (api: Api, leads?: number, fields?: object) => readyCampaign(api, crm, leads, fields);

describe('updateCampaign', () => {
  it('changes what a draft sends when, to whom and about what', async () => {
    const api = service.as();
    const { data: topic } = await api.createTopic({ body: { name: 'News' } });
    const { data } = await api.createCampaign({ body: { name: 'A' } });
    const body = {
      name: 'B',
      type: 'mixed',
      startAt: later(60),
      endAt: later(120),
      timezone: 'Europe/Berlin',
      sendWindow: { from: '09:00', to: '17:00', days: [1, 2, 3] },
      topicId: topic.id,
    };
    const reply = await api.updateCampaign({ params: { id: data.id }, body });
    expect([reply.status, reply.data]).toMatchObject([200, { ...body, version: 2 }]);
    const cleared = { startAt: null, endAt: null, timezone: null, sendWindow: null, topicId: null };
    expect((await api.updateCampaign({ params: { id: data.id }, body: cleared })).data).toMatchObject(cleared);
  });

  it.each([
    ['endAt', { endAt: '2020-01-01T00:00:00Z' }],
    ['endAt', { startAt: later(120), endAt: later(60) }],
    ['topicId', { topicId: '999999' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['sendWindow.from', { sendWindow: { from: '25:00', to: '17:00' } }],
  ])('rejects a wrong %s and changes nothing', async (field, body) => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'A' } });
    const reply = await api.updateCampaign({ params: { id: data.id }, body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
    expect((await api.getCampaign({ params: { id: data.id } })).data).toEqual(data);
  });

  it('keeps the type, start and topic of an active campaign, and rejects an outdated version', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'A', status: 'active' } });
    for (const body of [{ type: 'sms' }, { startAt: later(5) }])
      expect((await api.updateCampaign({ params: { id: data.id }, body })).body.code).toBe('campaign_active');
    expect((await api.updateCampaign({ params: { id: data.id }, body: { name: 'B' } })).status).toBe(200);
    const outdated = { params: { id: data.id }, body: { name: 'C' }, headers: { 'if-match': '"1"' } };
    expect((await api.updateCampaign(outdated)).status).toBe(412);
  });
});

it('a campaign has messages of the channels of its type only; a mixed one has those of all', async () => {
  const api = service.as();
  const { id } = await ready(api, 1);
  const body = { name: 'Texts', ...inARow(aNode('text', { type: 'sms', data: { text: 'Hello' } })) };
  const { data: sequence } = await api.createSequence({ params: { id }, body });
  expect((await api.publishWorkflow({ params: { id: sequence.id }, body: {} })).status).toBe(200);
  const excluded = { email: 'The node text is of the type sms', sms: 'The node one is of the type email' };
  for (const [type, message] of Object.entries(excluded)) {
    await api.updateCampaign({ params: { id }, body: { type } });
    const { status, body: reply } = await api.activateCampaign({ params: { id } });
    expect([status, reply.errors?.[0]]).toMatchObject([
      422,
      { field: 'sequences', message: expect.stringContaining(message) },
    ]);
  }
  await api.updateCampaign({ params: { id }, body: { type: 'mixed' } });
  expect((await api.activateCampaign({ params: { id } })).status).toBe(200);
});

it.each<[string, () => object]>([
  ['an active campaign', () => ({})],
  ['a campaign that starts later', () => ({ startAt: later(60) })],
])('%s gets no sequence with messages that its type excludes, neither published nor resumed', async (_, fields) => {
  const api = service.as();
  const { id } = await ready(api, 1, fields());
  const body = { name: 'Texts', ...inARow(aNode('text', { type: 'sms', data: { text: 'Hello' } })) };
  const [paused, draft] = [
    await api.createSequence({ params: { id }, body }),
    await api.createSequence({ params: { id }, body }),
  ].map(({ data }) => ({ params: { id: data.id } }));
  if (!paused || !draft) throw new Error('No sequences');
  await api.publishWorkflow({ ...paused, body: {} });
  await api.pauseWorkflow(paused);
  expect((await api.activateCampaign({ params: { id } })).status).toBe(200);
  const errors = [{ field: 'nodes.text', message: expect.stringContaining('sends no sms; remove the node') }];
  for (const refused of [await api.publishWorkflow({ ...draft, body: {} }), await api.resumeWorkflow(paused)])
    expect([refused.status, refused.body.errors]).toEqual([422, errors]);
  const statuses = [await api.getWorkflow(draft), await api.getWorkflow(paused)].map(({ data }) => data.status);
  expect(statuses).toEqual(['draft', 'paused']);
  await api.pauseCampaign({ params: { id } });
  await api.updateCampaign({ params: { id }, body: { type: 'mixed' } });
  await api.resumeCampaign({ params: { id } });
  for (const accepted of [await api.publishWorkflow({ ...draft, body: {} }), await api.resumeWorkflow(paused)])
    expect(accepted.status).toBe(200);
});

describe('updateCampaign with a status', () => {
  const namesOf = (api: Api) =>
    service.events.filter(({ tenantId }) => tenantId === tenantOf(api)).map(({ name }) => name);

  it('activates, pauses, resumes and completes the campaign, after the other changes', async () => {
    const api = service.as();
    const { id } = await ready(api, 1);
    const activated = await api.updateCampaign({ params: { id }, body: { status: 'active', startAt: later(60) } });
    expect([activated.status, activated.data]).toMatchObject([200, { status: 'active', phase: 'scheduled' }]);
    for (const status of ['paused', 'active', 'active', 'completed']) {
      const reply = await api.updateCampaign({ params: { id }, body: { status } });
      expect([reply.status, reply.data?.status, reply.body.meta?.warnings]).toEqual([200, status, undefined]);
    }
    const expected = ['activated', 'completed', 'paused', 'resumed'].map((verb) => `campaign.${verb}`);
    await until('the events arrive', () => expected.every((name) => namesOf(api).includes(name)));
    const counted = namesOf(api).filter((name) => expected.includes(name));
    expect(counted.toSorted()).toEqual(expected);
  });

  it('refuses what the operation for it refuses, and keeps the other changes out', async () => {
    const api = service.as();
    const { data } = await api.createCampaign({ body: { name: 'Empty' } });
    const of = { params: { id: data.id } };
    const incomplete = await api.updateCampaign({ ...of, body: { name: 'B', status: 'active' } });
    const fields = incomplete.body.errors?.map(({ field }: { field: string }) => field);
    expect([incomplete.status, fields]).toEqual([422, ['sequences', 'audience']]);
    const skipped = await api.updateCampaign({ ...of, body: { name: 'B', status: 'completed' } });
    expect([skipped.status, skipped.body.code, skipped.body.errors?.[0]?.field]).toEqual([
      409,
      'transition_refused',
      'status',
    ]);
    expect((await api.updateCampaign({ ...of, body: { status: 'running' } })).status).toBe(422);
    expect((await api.getCampaign(of)).data).toEqual(data);
  });

  it('needs the permission and the feature of the operation for it', async () => {
    const api = service.as();
    const { id } = await ready(api, 1);
    const activate = { params: { id }, body: { status: 'active' } };
    const withoutLeads = service.as({ ...api.caller, permissions: ['campaigns:write'] });
    expect((await withoutLeads.updateCampaign(activate)).status).toBe(403);
    const withoutFeature = service.as({ ...api.caller, features: [] });
    expect((await withoutFeature.updateCampaign(activate)).body.code).toBe('feature_not_available');
    await api.activateCampaign({ params: { id } });
    expect((await withoutLeads.updateCampaign({ params: { id }, body: { status: 'paused' } })).status).toBe(200);
  });
});

describe('deleteCampaign', () => {
  it('deletes the campaign with its audience and sequences, and keeps its landing pages', async () => {
    const api = service.as();
    const { id, workflowId } = await ready(api);
    const { data: page } = await api.createLandingPage({ body: { name: 'P', slug: `p-${id}`, campaignId: id } });
    expect((await api.deleteCampaign({ params: { id } })).data).toEqual({ id, deleted: true });
    expect((await api.getCampaign({ params: { id } })).status).toBe(404);
    expect((await api.getWorkflow({ params: { id: workflowId } })).status).toBe(404);
    expect((await api.getLandingPage({ params: { id: page.id } })).data.campaignId).toBeNull();
  });

  it('rejects an active campaign, and one with leads in its sequences', async () => {
    const api = service.as();
    const { id } = await ready(api);
    await api.activateCampaign({ params: { id } });
    await until('all are waiting', async () => (await recipients(api, id)).length === 2);
    expect((await api.deleteCampaign({ params: { id } })).body.code).toBe('campaign_active');
    await api.pauseCampaign({ params: { id } });
    expect((await api.deleteCampaign({ params: { id } })).body.code).toBe('live_executions');
  });
});

describe('duplicateCampaign', () => {
  it('copies settings, audience and sequences into a draft', async () => {
    const api = service.as();
    const { id, leadIds } = await ready(api, 1, { sendWindow: { from: '09:00', to: '17:00' }, endAt: later(60) });
    const copy = await api.duplicateCampaign({ params: { id }, body: {} });
    expect([copy.status, copy.data]).toMatchObject([
      201,
      { name: 'Spring (copy)', status: 'draft', endAt: null, sendWindow: { from: '09:00', to: '17:00' } },
    ]);
    const ofCopy = { params: { id: copy.data.id } };
    expect((await api.getAudience(ofCopy)).data.include).toEqual([{ leadIds }]);
    expect((await api.listSequences(ofCopy)).data).toMatchObject([
      { name: 'Offer', status: 'draft', campaignId: copy.data.id },
    ]);
    expect((await api.listSequences({ params: { id } })).data).toHaveLength(1);
  });
});

describe('testSendCampaign', () => {
  it('sends the first e-mail of the draft with the values of a lead, without tracking or statistics', async () => {
    const api = service.as();
    const { id, workflowId, leadIds } = await ready(api, 1);
    const to = `test-${id}-${tenantOf(api)}@example.com`;
    const reply = await api.testSendCampaign({ params: { id }, body: { to: [to], leadId: leadIds[0] } });
    expect([reply.status, reply.data]).toEqual([202, { queued: 1, workflowId, nodeId: 'one', missing: [] }]);
    const mail = await until('the test arrives', () => mailbox.to(to)[0]);
    expect(mail.subject).toBe(`Hello First${leadIds[0]}`);
    expect(mail.html).toContain('href="https://example.com/a"');
    expect(mail.html).not.toContain('/v1/public/t/');
    expect((await api.getCampaignStats({ params: { id } })).data).toMatchObject({ messages: { sent: 0 }, nodes: [] });
  });

  it('sends nothing for an e-mail without a subject, which could not be published', async () => {
    const api = service.as();
    const { id, workflowId } = await ready(api, 1);
    const to = `empty-${id}-${tenantOf(api)}@example.com`;
    const body = inARow(aNode('one', { type: 'email', data: {} }));
    await api.updateWorkflow({ params: { id: workflowId }, body });
    const reply = await api.testSendCampaign({ params: { id }, body: { to: [to] } });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'nodeId', message: 'The e-mail of this node has no subject; add one, or a template' }],
    ]);
  });

  it.each([
    ['nodeId', { nodeId: 'none' }],
    ['workflowId', { workflowId: '999999' }],
    ['leadId', { leadId: '999999' }],
  ])('rejects an unknown %s', async (field, body) => {
    const api = service.as();
    const { id } = await ready(api, 1);
    const reply = await api.testSendCampaign({ params: { id }, body: { to: ['a@example.com'], ...body } });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });
});
