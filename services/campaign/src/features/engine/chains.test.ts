import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, codeOf, enrolled, inARow, inStatus, published } from '../../engine.test-service.ts';

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

const pause = aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
const enroll = (api: Api, id: string) =>
  aNode('enroll', { type: 'enroll', data: { workflowId: codeOf(api, 'workflow', id) } });
const leadOf = (api: Api) => crm.addLead(api.caller.tenantId as number);
const executionsOf = async (api: Api, id: string) => (await api.listWorkflowExecutions({ params: { id } })).data;
const completedIn = (api: Api, id: string) =>
  until('the lead has gone through the workflow', async () => {
    const [execution] = await executionsOf(api, id);
    return execution?.status === 'completed' && inStatus(api, execution.id, 'completed');
  });

describe('an enroll node', () => {
  it('lets the lead enter the other workflow, and its own one continues', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const other = await published(api, inARow(pause));
    const id = await published(api, inARow(enroll(api, other), pause));
    const executionId = await enrolled(api, id, leadId);
    const { steps } = await inStatus(api, executionId, 'waiting');
    expect(steps[1]).toMatchObject({
      nodeId: 'enroll',
      outcome: 'done',
      input: { workflowId: codeOf(api, 'workflow', other) },
    });
    expect(await executionsOf(api, other)).toMatchObject([{ leadId, source: 'workflow' }]);
  });

  it('follows the re-entry rule of the other workflow, and enrolls nobody while that is paused', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const other = await published(api, inARow());
    const id = await published(api, inARow(enroll(api, other)), { reentry: 'always' });
    for (const _ of ['enters', 'is blocked']) await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(await executionsOf(api, other)).toHaveLength(1);
    await api.pauseWorkflow({ params: { id: other } });
    await inStatus(api, await enrolled(api, id, leadOf(api)), 'completed');
    expect(await executionsOf(api, other)).toHaveLength(1);
  });

  it('does not lead back to a workflow that caused it', async () => {
    const api = service.as();
    const settings = { reentry: 'always' };
    const second = await published(api, inARow(), settings);
    const first = await published(api, inARow(enroll(api, second)), settings);
    await api.updateWorkflow({ params: { id: second }, body: inARow(enroll(api, first)) });
    expect((await api.publishWorkflow({ params: { id: second }, body: {} })).status).toBe(200);
    await enrolled(api, first, leadOf(api));
    const { steps } = await completedIn(api, second);
    expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'workflow_in_chain' });
    expect(await executionsOf(api, first)).toHaveLength(1);
  });

  it('does not let the lead enter a sixth workflow of a chain', async () => {
    const api = service.as();
    const sixth = await published(api, inARow(pause));
    const chain = [sixth];
    for (const _ of [5, 4, 3, 2, 1]) chain.unshift(await published(api, inARow(enroll(api, chain[0] as string))));
    await enrolled(api, chain[0] as string, leadOf(api));
    const { steps } = await completedIn(api, chain[4] as string);
    expect(steps[1]).toMatchObject({ outcome: 'skipped', skipReason: 'chain_too_deep' });
    expect(await executionsOf(api, sixth)).toEqual([]);
  });
});
