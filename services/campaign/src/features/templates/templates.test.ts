import type { campaign } from '@tandem/campaign-contract';
import { createIdCodec } from '@tandem/ids';
import { type TestService, until } from '@tandem/testing';
import { aNode, aWorkflow, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';

let crm: CrmPeer;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  crm = await crmPeer();
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
});

type Api = ReturnType<typeof service.as>;

const email = (fields: Record<string, unknown> = {}) => ({
  name: 'Welcome',
  channel: 'email',
  subject: 'Hello {{ lead.firstName }}',
  html: '<p>Hello {{ lead.firstName }}</p>',
  ...fields,
});
const aTemplate = async (api: Api, fields: Record<string, unknown> = {}) => {
  const reply = await api.createTemplate({ body: email(fields) });
  expect(reply.status).toBe(201);
  return { template: reply.data, params: { id: reply.data.id as string } };
};
const fieldsOf = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
  status,
  body.errors?.map(({ field }) => field),
];

describe('createTemplate', () => {
  it('starts a draft with its first version', async () => {
    const api = service.as();
    const { template, params } = await aTemplate(api);
    expect(template).toMatchObject({
      status: 'draft',
      allowedTransitions: ['active'],
      contentVersion: 1,
      variables: [],
      preheader: null,
      text: null,
    });
    expect((await api.listTemplateVersions({ params })).data).toMatchObject([{ number: 1, name: 'Welcome' }]);
    await until('the event arrives', () =>
      service.events.some(({ name, tenantId }) => name === 'template.created' && tenantId === api.caller.tenantId),
    );
  });

  it('needs a subject for an e-mail, and none for an SMS', async () => {
    const api = service.as();
    expect(fieldsOf(await api.createTemplate({ body: email({ subject: null }) }))).toEqual([422, ['subject']]);
    const sms = { name: 'Hi', channel: 'sms', text: 'Hi', html: '<p>' };
    expect(fieldsOf(await api.createTemplate({ body: sms }))).toEqual([422, ['html']]);
    expect((await api.createTemplate({ body: { name: 'Hi', channel: 'sms', text: 'Hi' } })).status).toBe(201);
  });

  it('rejects broken placeholders with their position, and repeated variables', async () => {
    const api = service.as();
    const variables = [{ key: 'lead.email' }, { key: 'lead.email', required: true }];
    const reply = await api.createTemplate({ body: email({ html: '<p>\n{{ lead.firstName', variables }) });
    expect(fieldsOf(reply)).toEqual([422, ['variables.1.key', 'html']]);
    expect(reply.body.errors?.[1]?.message).toContain('line 2, column 1');
    expect((await api.listTemplates()).data).toEqual([]);
  });
});

describe('updateTemplate', () => {
  it('makes a version, which can be restored as a new one', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    const edited = await api.updateTemplate({ params, body: { subject: 'Good day' } });
    expect(edited.data).toMatchObject({ subject: 'Good day', contentVersion: 2, version: 2 });
    expect((await api.updateTemplate({ params, body: { subject: 'Good day' } })).data.contentVersion).toBe(2);
    const restored = await api.restoreTemplateVersion({ params: { ...params, number: '1' } });
    expect(restored.data).toMatchObject({ subject: 'Hello {{ lead.firstName }}', contentVersion: 3 });
    const { data: versions } = await api.listTemplateVersions({ params });
    expect(versions.map(({ number, subject }: { number: number; subject: string }) => [number, subject])).toEqual([
      [3, 'Hello {{ lead.firstName }}'],
      [2, 'Good day'],
      [1, 'Hello {{ lead.firstName }}'],
    ]);
    expect((await api.restoreTemplateVersion({ params: { ...params, number: '9' } })).status).toBe(404);
    const stale = await api.updateTemplate({ params, body: { name: 'X' }, headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    expect(fieldsOf(await api.updateTemplate({ params, body: { subject: '{{' } }))).toEqual([422, ['subject']]);
  });
});

it('a new name makes no version of the content, and a restored version leaves the name', async () => {
  const api = service.as();
  const { params } = await aTemplate(api);
  const renamed = await api.updateTemplate({ params, body: { name: 'Renamed' } });
  expect(renamed.data).toMatchObject({ name: 'Renamed', contentVersion: 1, version: 2 });
  expect((await api.listTemplateVersions({ params })).data.length).toBe(1);
  const edited = await api.updateTemplate({ params, body: { name: 'Again', subject: 'Good day' } });
  expect(edited.data).toMatchObject({ name: 'Again', contentVersion: 2, version: 3 });
  const restored = await api.restoreTemplateVersion({ params: { ...params, number: '1' } });
  expect(restored.data).toMatchObject({ name: 'Again', subject: 'Hello {{ lead.firstName }}', contentVersion: 3 });
});

describe('the status of a template', () => {
  it('goes from draft to active to archived, and then the content stays', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    expect((await api.archiveTemplate({ params })).body.code).toBe('invalid_transition');
    expect((await api.activateTemplate({ params })).data).toMatchObject({ status: 'active' });
    expect((await api.updateTemplate({ params, body: { name: 'Other' } })).status).toBe(200);
    expect((await api.archiveTemplate({ params })).data).toMatchObject({ status: 'archived', allowedTransitions: [] });
    const edit = await api.updateTemplate({ params, body: { name: 'X' } });
    expect([edit.status, edit.body.code]).toEqual([409, 'template_archived']);
    const copy = await api.duplicateTemplate({ params });
    expect(copy.data).toMatchObject({ name: 'Other (copy)', status: 'draft', contentVersion: 1 });
  });

  it('does not become active without content', async () => {
    const api = service.as();
    const { params } = await aTemplate(api, { html: null });
    expect(fieldsOf(await api.activateTemplate({ params }))).toEqual([422, ['html']]);
  });
});

describe('deleteTemplate', () => {
  it('is refused while a published workflow uses the template', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    const tenantId = api.caller.tenantId as number;
    const codec = createIdCodec(process.env.IDS_ALPHABET as string);
    const templateId = codec.encode('template', tenantId, Number(params.id));
    const nodes = [aNode('node-1', { data: { templateId } })];
    const { data: workflow } = await api.createWorkflow({ body: aWorkflow({ nodes, edges: [] }) });
    const setStatus = (status: string) =>
      service.sqlWithin(api.caller, `UPDATE workflow SET status = '${status}' WHERE id = ${workflow.id}`);
    await setStatus('published');
    const refused = await api.deleteTemplate({ params });
    expect([refused.status, refused.body.code]).toEqual([409, 'template_in_use']);
    expect(refused.body.errors).toEqual([
      { field: 'id', message: `Is used by the workflow ‹workflow ${workflow.id}›` },
    ]);
    const ofCampaigns = service.as({
      ...api.caller,
      permissions: ['campaigns:delete', 'workflows:read:own'],
      userId: 2,
    });
    expect((await ofCampaigns.deleteTemplate({ params })).body.errors ?? []).toEqual([]);
    await setStatus('archived');
    expect((await api.deleteTemplate({ params })).data).toEqual({ id: params.id, deleted: true });
    expect((await api.getTemplate({ params })).status).toBe(404);
  });
});

describe('renderTemplate', () => {
  it('returns the message for a lead, for a sample and without either', async () => {
    const api = service.as();
    const variables = [{ key: 'lead.customFields.city', required: true }];
    const { params } = await aTemplate(api, { text: '{{ lead.customFields.city }} {{ unsubscribeUrl }}', variables });
    const leadId = crm.addLead(api.caller.tenantId as number, { firstName: 'Eve', customFields: { city: 'Bonn' } });
    const ofLead = await api.renderTemplate({ params, body: { leadId } });
    expect(ofLead.data).toEqual({
      subject: 'Hello Eve',
      html: '<p>Hello Eve</p>',
      text: 'Bonn https://api.example.com/unsubscribe/preview',
      missing: [],
    });
    const sample = { lead: { firstName: '<Bob>' } };
    const ofSample = await api.renderTemplate({ params, body: { sample } });
    expect(ofSample.data).toMatchObject({
      subject: 'Hello <Bob>',
      html: '<p>Hello &lt;Bob&gt;</p>',
      missing: ['lead.customFields.city'],
    });
    expect((await api.renderTemplate({ params, body: {} })).data.subject).toBe('Hello Ada');
  });

  it('rejects an unknown lead, and a caller who cannot read leads', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    expect(fieldsOf(await api.renderTemplate({ params, body: { leadId: '999' } }))).toEqual([422, ['leadId']]);
    const tenantId = api.caller.tenantId as number;
    const other = service.as({ tenantId, can: ['campaigns:read'] });
    expect((await other.renderTemplate({ params, body: { leadId: '999' } })).status).toBe(403);
  });
});

it('renders and sends a template for a sample person without the permission to read leads', async () => {
  const api = service.as();
  const { params } = await aTemplate(api);
  const withoutLeads = service.as({ ...api.caller, permissions: ['campaigns:read', 'campaigns:write'] });
  expect((await withoutLeads.renderTemplate({ params, body: {} })).data.subject).toBe('Hello Ada');
  expect((await withoutLeads.testSendTemplate({ params, body: { to: ['me@example.com'] } })).status).toBe(202);
});

describe('testSendTemplate', () => {
  it('queues the rendered message for each address once', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    const reply = await api.testSendTemplate({
      params,
      body: { to: ['a@example.com', 'b@example.com', 'a@example.com'] },
    });
    expect([reply.status, reply.data]).toEqual([202, { queued: 2 }]);
    const rows = await service.sqlWithin(
      api.caller,
      'SELECT recipient, template FROM platform.mail ORDER BY recipient',
    );
    expect(rows).toEqual([
      { recipient: 'a@example.com', template: 'template_test' },
      { recipient: 'b@example.com', template: 'template_test' },
    ]);
  });

  it('sends at most 100 tests in 24 hours, also by concurrent requests', async () => {
    const api = service.as();
    const { params } = await aTemplate(api);
    const send = (request: number) =>
      api.testSendTemplate({ params, body: { to: Array.from({ length: 10 }, (_, n) => `t${n}@r${request}.example`) } });
    const replies = await Promise.all(Array.from({ length: 16 }, (_, request) => send(request)));
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(replies.filter(({ body }) => body.code === 'mail_limit')).toHaveLength(6);
  });

  it('sends nothing to a suppressed address, without a required value, or for an SMS', async () => {
    const api = service.as();
    const { params } = await aTemplate(api, { variables: [{ key: 'lead.customFields.city', required: true }] });
    await api.createSuppression({ body: { channel: 'email', value: 'b@example.com' } });
    const send = (body: object, of = params) => api.testSendTemplate({ params: of, body });
    expect((await send({ to: ['a@example.com'] })).body.code).toBe('values_missing');
    const sample = { lead: { customFields: { city: 'Bonn' } } };
    expect(fieldsOf(await send({ to: ['a@example.com', 'B@example.com'], sample }))).toEqual([422, ['to.1']]);
    const { data: sms } = await api.createTemplate({ body: { name: 'Hi', channel: 'sms', text: 'Hi' } });
    expect((await send({ to: ['a@example.com'] }, { id: sms.id })).body.code).toBe('not_an_email');
    expect(await service.sqlWithin(api.caller, 'SELECT id FROM platform.mail')).toEqual([]);
  });
});
