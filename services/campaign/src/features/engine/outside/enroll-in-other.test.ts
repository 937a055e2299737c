import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { aNode, startCampaign } from '../../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../../crm-peer.test-service.ts';
import { type Api, codeOf, enrolled, hurry, inARow, inStatus, published } from '../../../engine.test-service.ts';

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
const aLead = (api: Api) => crm.addLead(api.caller.tenantId as number);

/** A workflow that enrolls its leads in another one, after a wait. */
const enrollingIn = (api: Api, id: string) =>
  published(api, inARow(pause, aNode('next', { type: 'enroll', data: { workflowId: codeOf(api, 'workflow', id) } })));

/** The step of the node that enrolls a lead which waits before it. */
async function stepOf(api: Api, executionId: string) {
  await inStatus(api, executionId, 'waiting');
  await hurry(service, api, executionId);
  return (await inStatus(api, executionId, 'completed')).steps.at(-1);
}

describe('the step of a node that enrolls in another workflow', () => {
  it('names the new execution', async () => {
    const api = service.as();
    const leadId = aLead(api);
    const target = await published(api, inARow(pause));
    const step = await stepOf(api, await enrolled(api, await enrollingIn(api, target), leadId));
    const { data } = await api.listWorkflowExecutions({ params: { id: target } });
    expect(data).toMatchObject([{ leadId, source: 'workflow' }]);
    const executionId = codeOf(api, 'workflow_execution', data[0].id);
    expect(step).toMatchObject({ nodeId: 'next', outcome: 'done', skipReason: null, result: { executionId } });
  });

  it('is skipped when the lead is in the workflow, and names its execution', async () => {
    const api = service.as();
    const leadId = aLead(api);
    const target = await published(api, inARow(pause));
    const executionId = codeOf(api, 'workflow_execution', await enrolled(api, target, leadId));
    const step = await stepOf(api, await enrolled(api, await enrollingIn(api, target), leadId));
    expect(step).toMatchObject({ outcome: 'skipped', skipReason: 'already_in', result: { executionId } });
  });

  it('is skipped when the lead may not enter again', async () => {
    const api = service.as();
    const leadId = aLead(api);
    const target = await published(api, inARow(), { reentry: 'never' });
    await inStatus(api, await enrolled(api, target, leadId), 'completed');
    const step = await stepOf(api, await enrolled(api, await enrollingIn(api, target), leadId));
    expect(step).toMatchObject({ outcome: 'skipped', skipReason: 'reentry_blocked', result: {} });
  });

  it('is skipped when the workflow was archived, and nobody is enrolled', async () => {
    const api = service.as();
    const target = await published(api, inARow(pause));
    const executionId = await enrolled(api, await enrollingIn(api, target), aLead(api));
    expect((await api.archiveWorkflow({ params: { id: target } })).status).toBe(200);
    expect(await stepOf(api, executionId)).toMatchObject({ outcome: 'skipped', skipReason: 'workflow_not_running' });
    expect((await api.listWorkflowExecutions({ params: { id: target } })).data).toEqual([]);
  });
});
