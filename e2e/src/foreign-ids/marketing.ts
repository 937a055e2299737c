import { randomBytes } from 'node:crypto';
import { until } from '@tandem/testing';
import type { Scope } from './direct.ts';
import type { Setup, World } from './records.ts';
import { uniqueEmail } from './unique-email.ts';

const unique = (name: string) => `${name} ${randomBytes(6).toString('hex')}`;
const formFields = [{ key: 'email', label: 'E-mail address', type: 'email', required: true, mapsTo: 'email' }];
/** A workflow that can be published: an e-mail and a long wait. */
export const aFlow = {
  name: 'Welcome',
  nodes: [
    { nodeId: 'start', type: 'trigger', data: {} },
    { nodeId: 'email', type: 'email', data: { subjectLine: 'Hello' } },
    { nodeId: 'wait', type: 'wait', data: { duration: 9, durationUnit: 'weeks' } },
  ],
  edges: [
    { edgeId: 'one', source: 'start', target: 'email' },
    { edgeId: 'two', source: 'email', target: 'wait' },
  ],
  settings: { reentry: 'always' },
};

const content = { name: 'Welcome', channel: 'email', subject: 'Hello', html: '<p>Hello</p>' };

/** Creates the records of campaigns around a lead: what is sent, to whom, and what comes back. */
export async function createMarketing(
  setup: Setup,
  scope: Scope,
  lead: { id: string; email: string },
  other: { id: string },
) {
  const call = (id: string, request: object = {}) => setup.direct.call(id, request, scope);
  const segment = await call('createSegment', {
    body: { name: unique('Fair'), type: 'static', leadIds: [other.id] },
  });
  const behavior = [{ event: 'opened' }];
  const filterSegment = await call('createSegment', { body: { name: unique('Readers'), type: 'filter', behavior } });
  const topic = await call('createTopic', { body: { name: unique('News') } });
  const suppression = await aSuppression(setup, scope, topic.id);
  const template = await call('createTemplate', { body: content });
  const form = await aForm(setup, scope);
  const form_submission = await aSubmission(setup, scope, form.id);
  const publicId = setup.ids.encode('form', scope.tenantId as number, Number(form.id));
  await setup.direct.call(
    'submitForm',
    { params: { id: publicId }, body: { fields: { email: lead.email } } },
    undefined,
  );
  const query = { leadId: lead.id };
  await until('the lead of a submission is known', async () =>
    (await call('listFormSubmissions', { params: { id: form.id }, query })).at(0),
  );
  const senders = await aSender(setup, scope);
  const page_domain = await aPageDomain(setup, scope);
  const records = { segment, topic, suppression, template, form, form_submission, page_domain, ...senders };
  return { records, filterSegment };
}

/** A sender, and the domain of its address. */
async function aSender({ direct }: Setup, scope: Scope) {
  const domain = `${randomBytes(6).toString('hex')}.example.com`;
  const sending_domain = await direct.call('createSendingDomain', { body: { domain } }, scope);
  const body = { name: 'Grace', fromEmail: `grace@${domain}` };
  return { sending_domain, sender: await direct.call('createSender', { body }, scope) };
}

function aPageDomain({ direct }: Setup, scope: Scope): Promise<{ id: string }> {
  const host = `${randomBytes(6).toString('hex')}.example.com`;
  return direct.call('createPageDomain', { body: { host } }, scope);
}

/** Variants of a test of subjects. */
export const subjects = [
  { key: 'original', weight: 50 },
  { key: 'offer', weight: 50, override: { subjectLine: 'Your offer' } },
];

/** A draft of an A/B test. */
export async function anAbTest({ direct }: Setup, scope: Scope, campaignId: string): Promise<{ id: string }> {
  const body = { name: 'Subject', target: 'subject', variants: subjects, metric: 'open' };
  return direct.call('createAbTest', { params: { id: campaignId }, body }, scope);
}

async function aSuppression({ direct }: Setup, scope: Scope, topicId: string) {
  return direct.call('createSuppression', { body: { channel: 'email', value: uniqueEmail(), topicId } }, scope);
}

async function aForm({ direct }: Setup, scope: Scope, isPublished = true) {
  const form = await direct.call('createForm', { body: { name: unique('Form'), fields: formFields } }, scope);
  if (isPublished) await direct.call('publishForm', { params: { id: form.id } }, scope);
  return form;
}

/** A submission that is taken for spam, which can be accepted. */
async function aSubmission({ direct, ids }: Setup, scope: Scope, formId: string) {
  const id = ids.encode('form', scope.tenantId as number, Number(formId));
  await direct.call(
    'submitForm',
    { params: { id }, body: { fields: { email: uniqueEmail() }, honeypot: 'x' } },
    undefined,
  );
  return (await direct.call('listFormSubmissions', { params: { id: formId } }, scope))[0];
}

/** Publishes a workflow unless it is published, and enrolls a lead. */
export async function anExecution({ direct }: Setup, scope: Scope, workflowId: string, leadId: string) {
  const params = { id: workflowId };
  const { publishedVersion } = await direct.call('getWorkflow', { params }, scope);
  if (publishedVersion === null) await direct.call('publishWorkflow', { params, body: {} }, scope);
  const { results } = await direct.call('enrollLeads', { params, body: { leadIds: [leadId] } }, scope);
  return { id: results[0].executionId as string };
}

type Preparation = (world: World, setup: Setup) => Promise<void>;

/** A record of its own for requests that change or delete it. */
const replaced = (type: keyof World['records'], create: (world: World, setup: Setup) => Promise<{ id: string }>) => {
  return async (world: World, setup: Setup) => {
    world.records[type] = Number((await create(world, setup)).id);
  };
};

const newTemplate = replaced('template', ({ scope }, { direct }) =>
  direct.call('createTemplate', { body: content }, scope),
);
const newForm = replaced('form', ({ scope }, setup) => aForm(setup, scope, false));
/** Another workflow, because the requests before may have paused or archived that of the records. */
async function newExecution(world: World, setup: Setup): Promise<void> {
  const workflow = await setup.direct.call('createWorkflow', { body: aFlow }, world.scope);
  world.records.workflow = Number(workflow.id);
  const execution = await anExecution(setup, world.scope, workflow.id, String(world.records.lead));
  world.records.workflow_execution = Number(execution.id);
}

/** A draft of a campaign of its own. */
async function newAbTest(world: World, setup: Setup): Promise<void> {
  const campaign = await setup.direct.call('createCampaign', { body: { name: unique('Spring') } }, world.scope);
  world.records.campaign = Number(campaign.id);
  world.records.ab_test = Number((await anAbTest(setup, world.scope, campaign.id)).id);
}

/** A domain without senders. */
const newDomain = replaced('sending_domain', ({ scope }, { direct }) =>
  direct.call('createSendingDomain', { body: { domain: `${randomBytes(6).toString('hex')}.example.com` } }, scope),
);

export const marketingPreparations: Record<string, Preparation> = {
  activateTemplate: newTemplate,
  archiveTemplate: newTemplate,
  deleteTemplate: newTemplate,
  testSendTemplate: newTemplate,
  publishForm: newForm,
  archiveForm: newForm,
  deleteForm: newForm,
  unpublishForm: replaced('form', ({ scope }, setup) => aForm(setup, scope)),
  async acceptFormSubmission(world, setup) {
    const form = await aForm(setup, world.scope);
    world.records.form = Number(form.id);
    world.records.form_submission = Number((await aSubmission(setup, world.scope, form.id)).id);
  },
  updateCampaign: replaced('campaign', ({ scope }, { direct }) =>
    direct.call('createCampaign', { body: { name: unique('Spring') } }, scope),
  ),
  cancelExecution: newExecution,
  removeEnrollment: newExecution,
  enrollLeads: newExecution,
  triggerWorkflow: newExecution,
  pauseWorkflow: newExecution,
  archiveWorkflow: newExecution,
  testWorkflow: newExecution,
  validateWorkflow: newExecution,
  rotateWorkflowSecret: newExecution,
  updateAbTest: newAbTest,
  startAbTest: newAbTest,
  stopAbTest: newAbTest,
  declareAbTestWinner: newAbTest,
  deleteAbTest: newAbTest,
  deleteSender: replaced('sender', async ({ scope }, setup) => (await aSender(setup, scope)).sender),
  deleteSendingDomain: newDomain,
  deletePageDomain: replaced('page_domain', ({ scope }, setup) => aPageDomain(setup, scope)),
  deleteSegment: replaced('segment', ({ scope }, { direct }) =>
    direct.call('createSegment', { body: { name: unique('Fair'), type: 'static' } }, scope),
  ),
  deleteTopic: replaced('topic', ({ scope }, { direct }) =>
    direct.call('createTopic', { body: { name: unique('News') } }, scope),
  ),
  deleteSuppression: replaced('suppression', ({ scope, records }, setup) =>
    aSuppression(setup, scope, String(records.topic)),
  ),
};
