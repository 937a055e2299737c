import { aNode } from './campaign.test-service.ts';
import type { CrmPeer } from './crm-peer.test-service.ts';
import type { Api } from './engine.test-service.ts';

export const tenantOf = (api: Api) => api.caller.tenantId as number;
export const later = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** The graph of a sequence: an e-mail, a wait and another e-mail. */
export const graph = (triggerType = 'manual') => ({
  nodes: [
    aNode('start', { type: 'trigger', data: { triggerType } }),
    aNode('one', {
      data: { subjectLine: 'Hello {{ lead.firstName }}', html: '<p><a href="https://example.com/a">Offer</a></p>' },
    }),
    aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
    aNode('two', { data: { subjectLine: 'Again {{ lead.firstName }}' } }),
  ],
  edges: [
    { edgeId: 'a', source: 'start', target: 'one' },
    { edgeId: 'b', source: 'one', target: 'pause' },
    { edgeId: 'c', source: 'pause', target: 'two' },
  ],
});

interface Ready {
  id: string;
  workflowId: string;
  leadIds: string[];
}

/** Creates a campaign with a published sequence and an audience. */
export async function readyCampaign(api: Api, crm: CrmPeer, leads = 2, fields: object = {}): Promise<Ready> {
  const { data } = await api.createCampaign({ body: { name: 'Spring', ...fields } });
  const sequence = await api.createSequence({ params: { id: data.id }, body: { name: 'Offer', ...graph() } });
  expect(sequence.status).toBe(201);
  await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} });
  const leadIds = Array.from({ length: leads }, () => crm.addLead(tenantOf(api)));
  await api.setAudience({ params: { id: data.id }, body: { include: [{ leadIds }] } });
  return { id: data.id, workflowId: sequence.data.id, leadIds };
}

export const recipients = async (api: Api, id: string) => (await api.listRecipients({ params: { id } })).data;
