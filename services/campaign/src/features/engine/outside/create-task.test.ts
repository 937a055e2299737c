import type { campaign } from '@tandem/campaign-contract';
import { identityPeer, type TestService } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import { publishErrors, ran } from '../../../engine.test-service.ts';

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

const task = (data: Record<string, unknown>) => aNode('call', { type: 'create_task', data });

describe('a create_task node', () => {
  it('creates a task of its type, with the values of the lead in the title', async () => {
    const api = service.as();
    const leadId = crm.addLead(api.caller.tenantId as number, { firstName: 'Ada' });
    const { steps } = await ran(api, leadId, task({ title: 'Call {{ lead.firstName }}', type: 'call' }));
    const created = { title: 'Call Ada', type: 'call' };
    expect(steps[1]).toMatchObject({ outcome: 'done', input: created });
    expect(crm.calls.filter(({ path }) => path === '/v1/tasks')).toMatchObject([{ body: { ...created, leadId } }]);
  });

  it('cannot be published with an unknown type, or with a title that cannot be read', async () => {
    expect(await publishErrors(service.as(), task({ title: 'Call {{ lead.firstName', type: 'visit' }))).toEqual([
      { field: 'nodes.call.type', message: 'Must be one of call, email, meeting, note, other' },
      { field: 'nodes.call.title', message: expect.stringContaining('Is not a valid template') },
    ]);
  });
});
