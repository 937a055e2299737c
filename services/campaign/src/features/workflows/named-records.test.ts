import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, type TestService, users } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, codeOf, inARow, inARowAfter, publishErrors } from '../../engine.test-service.ts';

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

const node = (type: string, data: Record<string, unknown>) => aNode('it', { type, data });
const user = (api: Api, id: string) => codeOf(api, 'user', id);
const unknownUser = /user/;

describe('a workflow cannot be published', () => {
  it.each<[string, string, (code: string) => Record<string, unknown>]>([
    ['assigns leads', 'userId', (userId) => ({ type: 'assign', data: { userId } })],
    ['creates tasks', 'assignedTo', (assignedTo) => ({ type: 'create_task', data: { title: 'Call', assignedTo } })],
  ])('if it %s for a user who is suspended, unknown or of another tenant', async (_, field, fieldsOf) => {
    const api = service.as();
    const codes = [user(api, users.suspended), user(api, users.nobody), user(service.as(), users.active), 'nobody'];
    for (const code of codes)
      expect(await publishErrors(api, aNode('it', fieldsOf(code)))).toEqual([
        { field: `nodes.it.${field}`, message: expect.stringMatching(unknownUser) },
      ]);
    expect(await publishErrors(api, aNode('it', fieldsOf(user(api, users.active))))).toEqual([]);
  });

  it('if it enrolls in a workflow that is archived, unknown or of another tenant', async () => {
    const api = service.as();
    const field = 'nodes.it.workflowId';
    const aDraft = async (as: Api) =>
      (await as.createWorkflow({ body: { name: 'Next', ...inARow(node('exit', {})) } })).data.id as string;
    const enroll = (id: string, as: Api = api) => node('enroll', { workflowId: codeOf(as, 'workflow', id) });
    const other = service.as();
    const theirs = await aDraft(other);
    for (const refused of [
      enroll(theirs),
      enroll(theirs, other),
      enroll('999999'),
      node('enroll', { workflowId: 'x' }),
    ])
      expect(await publishErrors(api, refused)).toMatchObject([{ field }]);
    const own = await aDraft(api);
    expect(await publishErrors(api, enroll(own))).toEqual([]);
    await api.archiveWorkflow({ params: { id: own } });
    const message = 'Must be the id of a workflow that is not archived';
    expect(await publishErrors(api, enroll(own))).toEqual([{ field, message }]);
  });

  it('if it sets an owner of the lead as a field, or a custom field to a value that crm refuses', async () => {
    const api = service.as();
    const update = (fields: Record<string, unknown>) => node('update_lead', { fields });
    const assignedTo = user(api, users.active);
    expect(await publishErrors(api, update({ assignedTo }))).toMatchObject([{ field: 'nodes.it.fields' }]);
    expect(await publishErrors(api, update({ customFields: { seats: 'many' } }))).toEqual([
      { field: 'nodes.it.fields.customFields.seats', message: 'Must be a number' },
    ]);
    expect(await publishErrors(api, update({ customFields: { seats: 12, free: 'text' } }))).toEqual([]);
  });

  it('if its trigger waits for a field or a status that leads do not have', async () => {
    const api = service.as();
    const errorsOf = async (trigger: Record<string, unknown>) => {
      const { data } = await api.createWorkflow({
        body: { name: 'Test', ...inARowAfter(trigger, node('exit', {})) },
      });
      const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
      expect([200, 422]).toContain(reply.status);
      return reply.body.errors ?? [];
    };
    const ofField = (...fields: string[]) => errorsOf({ triggerType: 'lead_updated', fields });
    expect(await ofField('phone', 'nope', 'version')).toMatchObject([
      { field: 'nodes.start.fields.1' },
      { field: 'nodes.start.fields.2' },
    ]);
    expect(await ofField('phone', 'customFields.region')).toEqual([]);
    const ofStatus = (status: string) => errorsOf({ triggerType: 'lead_status_changed', status });
    const message = 'Must be one of new, contacted, qualified, unqualified, nurturing';
    expect(await ofStatus('nope')).toEqual([{ field: 'nodes.start.status', message }]);
    for (const status of ['qualified', 'nurturing']) expect(await ofStatus(status)).toEqual([]);
  });
});
