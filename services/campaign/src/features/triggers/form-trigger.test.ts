import { randomUUID } from 'node:crypto';
import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { publish, type TestService, until } from '@tandem/testing';
import { aForm, aNode, asVisitor, publicIdOf, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';

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
type Fields = Record<string, unknown>;

let visitors = 0;
const anEmail = () => `signup${++visitors}@example.com`;

async function publishedForm(api: Api) {
  const { data } = await api.createForm({ body: aForm({ name: `Form ${++visitors}` }) });
  await api.publishForm({ params: { id: data.id } });
  return data as { id: string; submitUrl: string };
}

const submit = (form: { submitUrl: string }, fields: Fields) =>
  asVisitor(service, 'submitForm', { params: { id: publicIdOf(form) }, body: { fields } });

const processed = (api: Api, form: { id: string }, count = 1) =>
  until('the submissions are processed', async () => {
    const { data } = await api.listFormSubmissions({ params: { id: form.id }, query: { status: 'processed' } });
    return data.length === count && (data as { leadId: string; id: string }[]);
  });

/** A published workflow: a trigger and nodes in a row. */
async function workflow(api: Api, trigger: Fields, nodes = [email('welcome')], settings: Fields = {}) {
  const all = [aNode('start', { type: 'trigger', data: trigger }), ...nodes];
  const edges = nodes.map(({ nodeId }, index) => ({ edgeId: `e${index}`, source: all[index]?.nodeId, target: nodeId }));
  const { data } = await api.createWorkflow({ body: { name: 'Test', nodes: all, edges, settings } });
  const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return data.id as string;
}

const email = (nodeId: string) =>
  aNode(nodeId, { type: 'email', data: { subjectLine: 'Hello {{ lead.firstName }}: {{ payload.message }}' } });
const executionsOf = async (api: Api, id: string) =>
  (await api.listWorkflowExecutions({ params: { id } })).data as Record<string, string>[];

describe('a processed form submission', () => {
  it('starts the generated sequence, whose first e-mail reaches the new lead', async () => {
    const api = service.as();
    const { data: sequence } = await api.generateSequence({ body: { prompt: 'Welcome new leads' } });
    expect(sequence.nodes[0].data.triggerType).toBe('form_submission');
    const { data } = await api.createWorkflow({ body: sequence });
    expect((await api.publishWorkflow({ params: { id: data.id }, body: {} })).status).toBe(200);
    const form = await publishedForm(api);
    const to = anEmail();
    expect((await submit(form, { email: to, firstName: 'Ada' })).status).toBe(201);
    await until('the first e-mail arrives', () => mailbox.to(to).length === 1);
    const [{ leadId } = { leadId: '' }] = await processed(api, form);
    expect(await executionsOf(api, data.id)).toMatchObject([{ leadId, source: 'event' }]);
  });

  it('starts workflows of its form and of every form, with the submitted fields, and no others', async () => {
    const api = service.as();
    const [form, other] = [await publishedForm(api), await publishedForm(api)];
    const from = (source: string) => [{ field: 'source', operator: 'equals', value: source }];
    const end = [aNode('end', { type: 'exit', data: {} })];
    const ids = [
      await workflow(api, { triggerType: 'form_submission', formId: publicIdOf(form) }),
      await workflow(api, { triggerType: 'form_submission', formId: publicIdOf(other) }),
      await workflow(api, { triggerType: 'form_submission' }, end),
      await workflow(api, { triggerType: 'form_submission', conditions: from('web') }, end),
      await workflow(api, { triggerType: 'form_submission', conditions: from('referral') }, end),
    ];
    const to = anEmail();
    await submit(form, { email: to, message: 'Call me' });
    await until('the mail arrives', () => mailbox.to(to).length === 1);
    expect(mailbox.to(to)[0]?.subject).toMatch(/^Hello .*: Call me$/);
    await processed(api, form);
    const counts = await Promise.all(ids.map(async (id) => (await executionsOf(api, id)).length));
    expect(counts).toEqual([1, 0, 1, 1, 0]);
  });

  it('starts a workflow once, also when analytics reports it back, and again for the next submission', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const again = { reentry: 'always' };
    const end = [aNode('end', { type: 'exit', data: {} })];
    const id = await workflow(api, { triggerType: 'form_submission' }, end, again);
    const ofVisits = await workflow(api, { triggerType: 'page_visit' }, end, again);
    const to = anEmail();
    await submit(form, { email: to });
    const [{ leadId, id: submissionId } = { leadId: '', id: '' }] = await processed(api, form);
    await until('it is done', async () => (await executionsOf(api, id))[0]?.['status'] === 'exited');
    const told = { service, tenantId: api.caller.tenantId as number };
    const report = (type: string, insertId: string) => recorded(told, { leadId, type, insertId });
    await report('form_submission', `campaign-form-${submissionId}`);
    await report('page_visit', 'campaign-1');
    await until('the reports have arrived', async () => (await executionsOf(api, ofVisits)).length === 1);
    expect(await executionsOf(api, id)).toHaveLength(1);
    await submit(form, { email: to });
    await until('it has begun again', async () => (await executionsOf(api, id)).length === 2);
  });

  it('starts workflows by what its lead does later, if the lead meets their conditions', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const end = [aNode('end', { type: 'exit', data: {} })];
    const conditions = [{ field: 'score', operator: 'at_least', value: 50 }];
    const [asking, any] = [
      await workflow(api, { triggerType: 'page_visit', conditions }, end),
      await workflow(api, { triggerType: 'page_visit' }, end),
    ];
    const [hot, cold] = [crm.addLead(tenantId, { score: 80 }), crm.addLead(tenantId, { score: 10 })];
    for (const leadId of [cold, hot])
      await recorded({ service, tenantId }, { leadId, type: 'page_visit', insertId: `campaign-${leadId}` });
    await until('the hot lead is in it', async () => (await executionsOf(api, asking)).length === 1);
    await until('both are in the other', async () => (await executionsOf(api, any)).length === 2);
    expect(await executionsOf(api, asking)).toMatchObject([{ leadId: hot }]);
  });

  it('ends waits for submissions and workflows that exit on them, of its lead only', async () => {
    const api = service.as();
    const form = await publishedForm(api);
    const addresses = [anEmail(), anEmail()];
    const [leadId, otherId] = addresses.map((one) => crm.addLead(api.caller.tenantId as number, { email: one }));
    const wait = aNode('wait', { type: 'wait_for_event', data: { event: 'form_submission' } });
    const pause = aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
    const waiting = await workflow(api, { triggerType: 'manual' }, [wait, pause]);
    const exiting = await workflow(api, { triggerType: 'manual' }, [pause], { exitOn: ['form_submission'] });
    for (const id of [waiting, exiting])
      await api.enrollLeads({ params: { id }, body: { leadIds: [leadId, otherId] } });
    const placesOf = async (id: string) =>
      Object.fromEntries(
        (await executionsOf(api, id)).map((one) => [one['leadId'], [one['status'], one['nodeId']]]),
      ) as Record<string, [string, string]>;
    await until('all wait', async () =>
      [await placesOf(waiting), await placesOf(exiting)].every((places) =>
        Object.values(places).every(([status]) => status === 'waiting'),
      ),
    );
    await submit(form, { email: addresses[0] });
    await until('the wait has ended', async () => (await placesOf(waiting))[leadId as string]?.[1] === 'pause');
    expect((await placesOf(waiting))[otherId as string]).toEqual(['waiting', 'wait']);
    expect(await placesOf(exiting)).toMatchObject({
      [leadId as string]: ['exited', 'pause'],
      [otherId as string]: ['waiting', 'pause'],
    });
    const ended = (await executionsOf(api, exiting)).find((one) => one['leadId'] === leadId);
    expect(ended?.['endReason']).toBe('form_submission');
  });
});

it('rejects the publication of a trigger whose form does not exist for the tenant', async () => {
  const api = service.as();
  const theirs = await publishedForm(service.as());
  for (const formId of [publicIdOf(theirs), 'nothing']) {
    const nodes = [aNode('start', { type: 'trigger', data: { triggerType: 'form_submission', formId } }), email('one')];
    const edges = [{ edgeId: 'e', source: 'start', target: 'one' }];
    const { data } = await api.createWorkflow({ body: { name: 'Test', nodes, edges } });
    const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([
      422,
      [{ field: 'nodes.start.formId', message: 'Must be the id of a form; omit it for every form' }],
    ]);
  }
});

/** Publishes what analytics emits for a record. */
function recorded(
  told: Parameters<typeof publish>[0],
  { leadId, type, insertId }: { leadId: string; type: string; insertId: string },
) {
  const now = new Date().toISOString();
  const record = {
    id: '1',
    tenantId: String(told.tenantId),
    type,
    leadId,
    messageId: null,
    workflowExecutionId: null,
    timestamp: now,
    insertId,
    properties: {},
    automated: false,
    createdAt: now,
  };
  const target = { type: 'engagement_event', id: 1 };
  return publish(told, 'engagement.recorded', { target, data: { eventId: '1', type, leadId }, record }, randomUUID());
}
